--  expect: circular-wait
--  Two semaphores taken in opposite order, through anonymous access discriminants.
procedure I_Anonymous_Access_Discriminant is
   protected type Semaphore (Start : Natural := 1) is
      entry Wait;
      procedure Signal;
   private
      Count : Natural := Start;
   end Semaphore;
   protected body Semaphore is
      entry Wait when Count > 0 is
      begin
         Count := Count - 1;
      end Wait;
      procedure Signal is
      begin
         Count := Count + 1;
      end Signal;
   end Semaphore;

   task type Worker (First, Second : access Semaphore);
   task body Worker is
   begin
      First.Wait;
      Second.Wait;
      Second.Signal;
      First.Signal;
   end Worker;
   S, T : aliased Semaphore;
   A : Worker (S'Access, T'Access);
   B : Worker (T'Access, S'Access);
begin
   null;
end I_Anonymous_Access_Discriminant;
