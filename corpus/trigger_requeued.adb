--  expect: client-blocked, dead-entry
--  A triggering call that was requeued without abort is waited for, though the abortable part has come to its end.
procedure Trigger_Requeued is
   protected Gate is
      entry Ask;
      entry Wait;
      entry Never;
      procedure Open;
   private
      Is_Open : Boolean := False;
   end Gate;
   protected body Gate is
      entry Ask when True is
      begin
         requeue Wait with abort;
      end Ask;
      entry Wait when Is_Open is
      begin
         requeue Never;
      end Wait;
      entry Never when False is
      begin
         null;
      end Never;
      procedure Open is
      begin
         Is_Open := True;
      end Open;
   end Gate;
begin
   select
      Gate.Ask;
   then abort
      Gate.Open;
   end select;
end Trigger_Requeued;
