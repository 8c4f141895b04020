--  expect: unhandled-exception, dead-entry
--  A call through a null access value raises Constraint_Error.
procedure G_Null_Access is
   task type Worker is
      entry Go;
   end Worker;
   type Worker_Ref is access Worker;
   task body Worker is
   begin
      accept Go;
   end Worker;
   W : Worker_Ref;
begin
   W.Go;
   W := new Worker;
end G_Null_Access;
