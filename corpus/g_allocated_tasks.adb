--  expect: holds
--  Tasks created by allocators in a loop with static bounds.
procedure G_Allocated_Tasks is
   task type Worker (Id : Integer) is
      entry Go;
   end Worker;
   type Worker_Ref is access Worker;
   task body Worker is
   begin
      accept Go;
      pragma Assert (Id in 1 .. 3);
   end Worker;
   All_Workers : array (1 .. 3) of Worker_Ref;
begin
   for I in All_Workers'Range loop
      All_Workers (I) := new Worker (I);
   end loop;
   for W of All_Workers loop
      W.Go;
   end loop;
end G_Allocated_Tasks;
