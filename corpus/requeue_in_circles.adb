--  expect: spin
--  The entry bodies hand the call to each other for ever: the call never returns, and nobody else can help.
procedure Requeue_In_Circles is
   protected P is
      entry A;
      entry B;
   end P;
   protected body P is
      entry A when True is
      begin
         requeue B;
      end A;
      entry B when True is
      begin
         requeue A;
      end B;
   end P;
   task Caller;
   task body Caller is
   begin
      P.A;
   end Caller;
begin
   null;
end Requeue_In_Circles;
