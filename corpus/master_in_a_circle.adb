--  expect: circular-wait, dead-entry
--  trace: wait for each other for ever
--  The main program would open the gate, but first it waits for the end of the task that waits at it.
procedure Master_In_A_Circle is
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
   procedure Run is
      task Walker;
      task body Walker is
      begin
         Gate.Pass;
      end Walker;
   begin
      null;
   end Run;
begin
   Run;
   Gate.Open;
end Master_In_A_Circle;
