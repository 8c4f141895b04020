--  expect: circular-wait
--  Synchronisation hidden in subprograms with parameters.
procedure J_Subprogram_With_Calls is
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

   Locks : array (1 .. 2) of Semaphore;
   procedure Both (I, J : Positive) is
   begin
      Locks (I).Wait;
      Locks (J).Wait;
      Locks (J).Signal;
      Locks (I).Signal;
   end Both;
   task A;
   task body A is
   begin
      Both (1, 2);
   end A;
   task B;
   task body B is
   begin
      Both (J => 1, I => 2);
   end B;
begin
   null;
end J_Subprogram_With_Calls;
