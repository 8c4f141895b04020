--  expect: holds
--  Protected objects made by an allocator in a function, kept in an array.
procedure I_Allocated_Protected is
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

   type Ref is access Semaphore;
   function Make return Ref is
      R : Ref;
   begin
      R := new Semaphore (1);
      return R;
   end Make;
   Locks : array (1 .. 2) of Ref := (others => Make);
   task type Worker (Low, High : Positive);
   task body Worker is
   begin
      Locks (Low).Wait;
      Locks (High).Wait;
      Locks (High).Signal;
      Locks (Low).Signal;
   end Worker;
   A, B : Worker (1, 2);
begin
   null;
end I_Allocated_Protected;
