--  expect: dead-entry
--  The tasks of an aborted task are aborted with it.
procedure Abort_Takes_Dependents is
   task Outer is
      entry Ready;
   end Outer;
   task body Outer is
      task Inner is
         entry Never;
      end Inner;
      task body Inner is
      begin
         accept Never;
      end Inner;
   begin
      accept Ready;
   end Outer;
begin
   Outer.Ready;
   abort Outer;
end Abort_Takes_Dependents;
