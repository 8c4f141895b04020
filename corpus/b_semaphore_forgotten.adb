--  expect: client-blocked
--  A semaphore that is never released blocks the second task.
procedure B_Semaphore_Forgotten is
   protected Semaphore is
      entry Wait;
   private
      Free : Boolean := True;
   end Semaphore;
   protected body Semaphore is
      entry Wait when Free is
      begin
         Free := False;
      end Wait;
   end Semaphore;
   task type Worker;
   task body Worker is
   begin
      Semaphore.Wait;
   end Worker;
   A, B : Worker;
begin
   null;
end B_Semaphore_Forgotten;
