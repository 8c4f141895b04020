--  expect: holds
--  Each cell of the arrays is a bit of the state until both have been counted: more bits than a word has.
procedure States_Of_Several_Words is
   type Marks is array (1 .. 36) of Boolean;
   A, B : Marks := (others => False);
   Odd : Boolean := False;
begin
   declare
      task First;
      task Second;

      task body First is
      begin
         for I in A'Range loop
            A (I) := True;
         end loop;
      end First;

      task body Second is
      begin
         for I in B'Range loop
            B (I) := True;
         end loop;
      end Second;
   begin
      null;
   end;
   for I in A'Range loop
      if A (I) /= B (I) then
         Odd := not Odd;
      end if;
   end loop;
   if Odd then
      raise Program_Error;
   end if;
end States_Of_Several_Words;
