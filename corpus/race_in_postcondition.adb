--  expect: race
--  What a postcondition looks at is read.
procedure Race_In_Postcondition is
   pragma Assertion_Policy (Check);
   X : Integer := 1;
   procedure Take (V : Integer) with Post => V > X;
   procedure Take (V : Integer) is
   begin
      null;
   end Take;
   task Writer;
   task Caller;
   task body Writer is
   begin
      X := 2;
   end Writer;
   task body Caller is
   begin
      Take (5);
   end Caller;
begin
   null;
end Race_In_Postcondition;
