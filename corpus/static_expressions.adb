--  Static expressions are evaluated exactly (RM 4.9): no operand of theirs overflows, however large it is.
--  expect: holds
procedure Static_Expressions is
   Billion : constant := 2**60;
   Highest : constant Integer := Integer'Last;
   type Small is range -128 .. 127;
   type Word is range -2**15 .. 2**15 - 1;
   Lowest  : Integer := -2_147_483_648;
   Again   : Integer := -2**31;
   Least   : Small := -128;
   First   : Word := -32_768;
   Big     : Long_Integer := Long_Integer (Highest + 1);
   Same    : Boolean := Highest + 1 - 1 = Highest;
   Count   : Natural := 0;
begin
   if Lowest in -32_768 .. 0 then
      raise Program_Error;
   end if;
   case Lowest is
      when -2**31 .. -1 => Count := Billion / 2**60;
      when others       => Count := Integer (2**40 / 2**40) + 1;
   end case;
   if Count /= 1 or else Again /= Lowest or else Big <= 0 or else not Same or else Least > 0 or else First > 0 then
      raise Program_Error;
   end if;
end Static_Expressions;
