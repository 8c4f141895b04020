--  expect: circular-wait
with GNAT.Semaphores; use GNAT.Semaphores;
procedure Semaphores is
   A : Binary_Semaphore (True, Default_Ceiling);
   B : Counting_Semaphore (1, Default_Ceiling);
   task One;
   task body One is
   begin
      A.Seize;
      B.Seize;
      B.Release;
      A.Release;
   end One;
   task Two;
   task body Two is
   begin
      B.Seize;
      A.Seize;
      A.Release;
      B.Release;
   end Two;
begin
   null;
end Semaphores;
