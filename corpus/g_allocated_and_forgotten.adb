--  expect: server-idle
--  A task made by an allocator depends on the scope of its access type.
procedure G_Allocated_And_Forgotten is
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
   W := new Worker;
   W := new Worker;
   W.Go;
end G_Allocated_And_Forgotten;
