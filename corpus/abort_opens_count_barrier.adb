--  expect: dead-entry
--  An aborted caller leaves the queue; the barrier that asks for 'Count is evaluated again.
procedure Abort_Opens_Count_Barrier is
   protected P is
      entry Alone;
      entry Never;
      function Both return Boolean;
   end P;
   protected body P is
      entry Alone when Never'Count = 0 is
      begin
         null;
      end Alone;
      entry Never when False is
      begin
         null;
      end Never;
      function Both return Boolean is (Alone'Count = 1 and Never'Count = 1);
   end P;
   task A;
   task body A is
   begin
      P.Never;
   end A;
   task B;
   task body B is
   begin
      P.Alone;
   end B;
begin
   abort A;
end Abort_Opens_Count_Barrier;
