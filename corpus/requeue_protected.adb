--  expect: holds
--  Requeue from one protected entry to another: two phases of one call.
procedure Requeue_Protected is
   protected P is
      entry Start;
      procedure Release;
      function Released return Boolean;
   private
      entry Finish;
      Open : Boolean := False;
   end P;
   protected body P is
      entry Start when True is
      begin
         requeue Finish;
      end Start;
      entry Finish when Open is
      begin
         null;
      end Finish;
      procedure Release is
      begin
         Open := True;
      end Release;
      function Released return Boolean is (Open);
   end P;
   task T;
   task body T is
   begin
      P.Start;
      pragma Assert (P.Released);
   end T;
begin
   P.Release;
end Requeue_Protected;
