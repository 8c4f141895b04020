--  expect: server-idle
--  The loop misses the last worker of the array.
procedure C_Array_Wrong_Bound is
   task type Worker is
      entry Go;
   end Worker;
   Workers : array (1 .. 3) of Worker;
   task body Worker is
   begin
      accept Go;
   end Worker;
begin
   for I in 1 .. Workers'Last - 1 loop
      Workers (I).Go;
   end loop;
end C_Array_Wrong_Bound;
