--  expect: race
--
--  A requeue looks at the barrier of the entry that the call goes to.
procedure Race_In_A_Requeue is
   Open : Boolean := True;
   protected Gate is
      entry First;
      entry Second;
   end Gate;
   protected body Gate is
      entry First when True is
      begin
         requeue Second;
      end First;
      entry Second when Open is
      begin
         null;
      end Second;
   end Gate;
   task Caller;
   task body Caller is
   begin
      Gate.First;
   end Caller;
begin
   Open := True;
end Race_In_A_Requeue;
