--  'Length and 'Pos are of type universal_integer: the type of their context decides how they are computed with.
--  expect: holds
procedure Universal_Attributes is
   type Ring is mod 8;
   Box  : array (1 .. 5) of Integer := (others => 0);
   Turn : Ring := 0;
   Many : Long_Integer := 0;
begin
   Turn := Box'Length - 6;
   Many := Box'Length * 3_000_000_000;
   if Turn /= 7 or else Many /= 15_000_000_000 then
      raise Program_Error;
   end if;
end Universal_Attributes;
