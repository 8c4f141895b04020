--  expect: unhandled-exception, assertion
--  What a program assumes is checked like an assertion; so are assertions among declarations.
pragma Assertion_Policy (Check);
procedure Assume_Fails is
   X : Integer := 3;
begin
   X := X + 1;
   declare
      pragma Assert (X = 4);
   begin
      pragma Assume (X > 5);
   end;
end Assume_Fails;
