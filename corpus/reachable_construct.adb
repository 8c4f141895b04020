--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  Where it is reached, nothing is claimed.
with Ada.Asynchronous_Task_Control;
procedure Reachable_Construct is
   task T is
      entry E;
   end T;
   task body T is
   begin
      accept E;
   end T;
begin
   Ada.Asynchronous_Task_Control.Hold (T'Identity);
   T.E;
end Reachable_Construct;
