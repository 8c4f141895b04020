--  expect: holds
--  An array of tasks, called by an index that a loop computes.
procedure C_Array_Of_Tasks is
   task type Worker is
      entry Go (N : Integer);
   end Worker;
   Workers : array (1 .. 3) of Worker;
   task body Worker is
      Mine : Integer;
   begin
      accept Go (N : Integer) do
         Mine := N;
      end Go;
      pragma Assert (Mine in 1 .. 3);
   end Worker;
begin
   for I in Workers'Range loop
      Workers (I).Go (I);
   end loop;
end C_Array_Of_Tasks;
