--  expect: holds
--  Several objects of one task type, each with its own entry.
procedure A_Task_Type_Objects is
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
   B.Go;
end A_Task_Type_Objects;
