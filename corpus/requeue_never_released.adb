--  expect: client-blocked, dead-entry
--  The second phase of a requeued call never opens.
procedure Requeue_Never_Released is
   protected P is
      entry Start;
   private
      entry Finish;
      Open : Boolean := False;
   end P;
   protected body P is
      entry Start when not Open is
      begin
         requeue Finish with abort;
      end Start;
      entry Finish when Open is
      begin
         null;
      end Finish;
   end P;
begin
   P.Start;
end Requeue_Never_Released;
