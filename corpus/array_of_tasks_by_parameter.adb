--  expect: assertion?, circular-wait?, client-blocked?, dead-entry?, program-error?, race?, server-idle?, spin?, tasking-error?, unhandled-exception?
--  An array of tasks whose bounds are parameters: not modelled.
procedure Array_Of_Tasks_By_Parameter is
   procedure Init (N : in Integer) is
      task type W;
      task body W is begin null; end W;
      Ws : array (1 .. N) of W;
   begin null; end Init;
begin
   Init (3);
end Array_Of_Tasks_By_Parameter;
