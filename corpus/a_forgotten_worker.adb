--  expect: server-idle
--  One of three workers is never called.
procedure A_Forgotten_Worker is
   task type Worker is
      entry Go;
   end Worker;
   A, B, C : Worker;
   task body Worker is
   begin
      accept Go;
   end Worker;
begin
   C.Go;
   A.Go;
end A_Forgotten_Worker;
