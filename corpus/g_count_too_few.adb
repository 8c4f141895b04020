--  expect: client-blocked, dead-entry
--  The same barrier with only two tasks never opens.
procedure G_Count_Too_Few is
   protected Barrier is
      entry Wait;
   end Barrier;
   protected body Barrier is
      entry Wait when Wait'Count = 3 is
      begin
         null;
      end Wait;
   end Barrier;
   task type Runner;
   task body Runner is
   begin
      Barrier.Wait;
   end Runner;
   A, B : Runner;
begin
   null;
end G_Count_Too_Few;
