--  expect: holds
with Ada.Synchronous_Task_Control; use Ada.Synchronous_Task_Control;
procedure Suspension is
   S : array (1 .. 2) of Suspension_Object;
   task type Worker (Me : Positive);
   task body Worker is
   begin
      for I in 1 .. 2 loop
         Suspend_Until_True (S (Me));
         Set_True (S (3 - Me));
      end loop;
   end Worker;
   A : Worker (1);
   B : Worker (2);
begin
   Set_True (S (1));
end Suspension;
