--  expect: client-blocked, server-idle, dead-entry
--  A variable that is read only after a call was requeued and served is still of interest while
--  the caller waits.
procedure Requeue_Then_Guard is
   protected P is
      entry Wait;
      procedure Set;
      entry Pass;
   private
      Open : Boolean := False;
   end P;
   protected body P is
      entry Wait when Open is begin
         null;
      end Wait;
      procedure Set is begin
         Open := True;
      end Set;
      entry Pass when True is begin
         requeue Wait with abort;
      end Pass;
   end P;
   task Guarded is
      entry A;
      entry B;
   end Guarded;
   task Opener;
   task body Guarded is
      L : Integer := 0;
   begin
      P.Pass;
      select
         accept A;
      or
         when L /= 0 =>
            accept B;
      end select;
   end Guarded;
   task body Opener is
   begin
      P.Set;
      Guarded.B;
   end Opener;
begin
   null;
end Requeue_Then_Guard;
