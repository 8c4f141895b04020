--  expect: holds
--  A task as a parameter of a procedure.
procedure J_Task_Parameter is
   task type Worker is
      entry Go;
   end Worker;
   task body Worker is
   begin
      accept Go;
   end Worker;
   A, B : Worker;
   procedure Start (W : in out Worker) is
   begin
      W.Go;
   end Start;
begin
   Start (A);
   Start (B);
end J_Task_Parameter;
