--  Two tasks wait for the same suspension object: one of them gets Program_Error.
--  expect: unhandled-exception
with Ada.Synchronous_Task_Control; use Ada.Synchronous_Task_Control;
procedure Suspension_Twice is
   Ready : Suspension_Object;
   task type Waiter;
   task body Waiter is
   begin
      Suspend_Until_True (Ready);
      Set_True (Ready);
   end Waiter;
   A, B : Waiter;
begin
   Set_True (Ready);
end Suspension_Twice;
