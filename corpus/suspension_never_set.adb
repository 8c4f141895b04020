--  expect: client-blocked
with Ada.Synchronous_Task_Control;
procedure Suspension_Never_Set is
   Ready : Ada.Synchronous_Task_Control.Suspension_Object;
   task Waiter;
   task body Waiter is
   begin
      Ada.Synchronous_Task_Control.Suspend_Until_True (Ready);
   end Waiter;
begin
   null;
end Suspension_Never_Set;
