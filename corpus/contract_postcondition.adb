--  expect: unhandled-exception?
--  A postcondition that is checked is not followed: it may fail.
pragma Assertion_Policy (Check);
procedure Contract_Postcondition is
   procedure Step (X : in out Integer) with Post => X > X'Old;
   procedure Step (X : in out Integer) is
   begin
      X := X + 1;
   end Step;
   task T;
   task body T is
      N : Integer := 0;
   begin
      Step (N);
   end T;
begin
   null;
end Contract_Postcondition;
