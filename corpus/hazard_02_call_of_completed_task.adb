--  expect: tasking-error, dead-entry
--  trace: it is handled
--  A call of a completed task raises Tasking_Error; it does not block.
procedure Hazard_02_Call_Of_Completed_Task is
   task S is
      entry E;
   end S;
   task body S is
   begin
      null;
   end S;
begin
   delay 0.05;
   S.E;
   pragma Assert (False);
exception
   when Tasking_Error => null;
end Hazard_02_Call_Of_Completed_Task;
