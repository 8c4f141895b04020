--  expect: holds
--  Barriers are evaluated again after each entry body: one release lets all waiters through.
procedure B_Barrier_Reevaluated is
   protected Gate is
      entry Pass;
      procedure Open;
   private
      Is_Open : Boolean := False;
   end Gate;
   protected body Gate is
      entry Pass when Is_Open is
      begin
         null;
      end Pass;
      procedure Open is
      begin
         Is_Open := True;
      end Open;
   end Gate;
   task type Walker;
   task body Walker is
   begin
      Gate.Pass;
   end Walker;
   A, B, C : Walker;
begin
   Gate.Open;
end B_Barrier_Reevaluated;
