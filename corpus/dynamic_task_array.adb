--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  An array of tasks whose bounds are not known is rejected, never silently empty.
with Ada.Integer_Text_IO;
procedure Dynamic_Task_Array is
   N : Integer;
   task type Worker is
      entry Go;
   end Worker;
   type Workers is array (Integer range <>) of Worker;
   task body Worker is
   begin
      accept Go;
   end Worker;
begin
   Ada.Integer_Text_IO.Get (N);
   declare
      W : Workers (1 .. N);
   begin
      W (1).Go;
   end;
end Dynamic_Task_Array;
