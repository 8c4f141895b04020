--  expect: tasking-error, unhandled-exception
--  A variable that is never assigned again is checked all the same.
procedure Constant_Out_Of_Range is
   function Zero return Integer is (0);
   task T;
   task body T is
      N : Positive := Zero;
   begin
      null;
   end T;
begin
   null;
exception
   when Tasking_Error =>
      raise Constraint_Error;
end Constant_Out_Of_Range;
