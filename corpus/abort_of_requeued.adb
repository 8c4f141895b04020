--  expect: holds
--  A call requeued without abort is finished before its caller can be aborted.
procedure Abort_Of_Requeued is
   protected P is
      entry First;
      procedure Open;
      function Passed return Boolean;
   private
      entry Second;
      Is_Open : Boolean := False;
      Done : Boolean := False;
   end P;
   protected body P is
      entry First when True is
      begin
         requeue Second;
      end First;
      entry Second when Is_Open is
      begin
         Done := True;
      end Second;
      procedure Open is
      begin
         Is_Open := True;
      end Open;
      function Passed return Boolean is (Done);
   end P;
begin
   declare
      task Caller;
      task body Caller is
      begin
         P.First;
         pragma Assert (P.Passed);
      end Caller;
   begin
      abort Caller;
      P.Open;
   end;
end Abort_Of_Requeued;
