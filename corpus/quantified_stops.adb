--  expect: holds
--  A quantified expression stops at the first value that decides it: each call of Ask is answered.
procedure Quantified_Stops is
   task Server is entry Ask; end Server;
   task body Server is
   begin
      for I in 1 .. 3 loop
         accept Ask;
      end loop;
   end Server;
   function Asked (Answer : Boolean) return Boolean is
   begin
      Server.Ask;
      return Answer;
   end Asked;
   A : array (1 .. 3) of Integer := (1, 0, 2);
begin
   if (for all I in 1 .. 3 => Asked (False)) then
      raise Program_Error;
   end if;
   if not (for some I in 1 .. 3 => Asked (I = 2)) then
      raise Program_Error;
   end if;
   A (2) := 0;
   if (for all I in 1 .. 3 => A (I) /= 0 and then 2 / A (I) > 0) then
      raise Program_Error;
   end if;
end Quantified_Stops;
