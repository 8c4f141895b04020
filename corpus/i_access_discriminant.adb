--  expect: holds
--  Protected objects reached through access discriminants.
procedure I_Access_Discriminant is
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

   type Semaphore_Ref is access all Semaphore;
   task type Worker (S : Semaphore_Ref);
   N : Integer := 0;
   task body Worker is
   begin
      S.Wait;
      N := N + 1;
      S.Signal;
   end Worker;
   Mutex : aliased Semaphore;
   A : Worker (Mutex'Access);
   B : Worker (Mutex'Access);
begin
   null;
end I_Access_Discriminant;
