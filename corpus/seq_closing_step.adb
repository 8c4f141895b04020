--  The step that closes a stretch lies outside of it, whatever other names it has: Q R Q P R.
--  property: seq_closing_step.qre
--  expect: shared, renamed, until, nothing, before_itself, answered_too_late
procedure Seq_Closing_Step is
   task S is
      entry Q;
      entry R;
      entry P;
   end S;
   task body S is
   begin
      accept Q;
      accept R;
      accept Q;
      accept P;
      accept R;
   end S;
begin
   S.Q;
   S.R;
   S.Q;
   S.P;
   S.R;
end Seq_Closing_Step;
