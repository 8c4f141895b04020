--  expect: tasking-error, dead-entry
--  A caller that waits in the queue of a task gets Tasking_Error when the task completes.
procedure Hazard_05_Queued_Caller_Of_Ending_Task is
   task S is
      entry A;
   end S;
   task body S is
   begin
      delay 0.1;
   end S;
begin
   S.A;
   pragma Assert (False);
exception
   when Tasking_Error => null;
end Hazard_05_Queued_Caller_Of_Ending_Task;
