--  expect: never
--  property: test_of_a_constant.qre
--
--  Nobody calls what would change the flag. It is looked at all the same.
procedure Test_Of_A_Constant is
   Flag : Boolean := True;
   X : Integer range 0 .. 3 := 0;
   procedure Never_Called is
   begin
      Flag := False;
   end Never_Called;
begin
   if Flag then
      X := 1;
   end if;
   X := 2;
end Test_Of_A_Constant;
