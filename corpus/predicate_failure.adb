--  expect: holds
--  A predicate may say what is raised where it fails.
pragma Assertion_Policy (Check);
procedure Predicate_Failure is
   Odd_One : exception;
   subtype Even is Integer with
     Dynamic_Predicate => Even mod 2 = 0, Predicate_Failure => raise Odd_One;
   V : Even := 2;
   Odd : Integer := 3;
begin
   V := Odd;
   raise Program_Error;
exception
   when Odd_One => null;
end Predicate_Failure;
