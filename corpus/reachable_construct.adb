--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  Where it is reached, nothing is claimed.
procedure Reachable_Construct is
   type Action is access procedure;
   A : Action;
   task T is
      entry E;
   end T;
   task body T is
   begin
      accept E;
   end T;
begin
   A.all;
   T.E;
end Reachable_Construct;
