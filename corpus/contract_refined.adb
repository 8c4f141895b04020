--  expect: unhandled-exception
--  The body's own promise leaves the precondition of the declaration as it is.
pragma Assertion_Policy (Check);
procedure Contract_Refined is
   package P is
      procedure Step (X : Integer) with Pre => X > 5;
   end P;
   package body P is
      N : Integer := 0;
      procedure Step (X : Integer) with Refined_Post => N = X is
      begin
         N := X;
      end Step;
   end P;
begin
   P.Step (3);
end Contract_Refined;
