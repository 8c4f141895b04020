--  expect: out_before_in
--  property: seq_finish_entry.qre
--  The call of a protected entry finishes when its body has ended, and a call that waited finishes in the action of another task.
procedure Seq_Finish_Entry is
   protected Gate is
      entry Pass;
      procedure Open;
   private
      Is_Open : Boolean := False;
   end Gate;
   protected body Gate is
      entry Pass when Is_Open is
      begin
         Is_Open := False;
      end Pass;
      procedure Open is
      begin
         Is_Open := True;
      end Open;
   end Gate;
   task Walker;
   task body Walker is
   begin
      Gate.Pass;
   end Walker;
begin
   Gate.Open;
end Seq_Finish_Entry;
