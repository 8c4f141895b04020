--  expect: circular-wait
--  A procedure that creates tasks and locks, their number given by a constant argument.
procedure G_Creator_With_Constant_Bound is
   protected type Mutex is
      entry Lock;
      procedure Unlock;
   private
      Locked : Boolean := False;
   end Mutex;
   protected body Mutex is
      entry Lock when not Locked is
      begin
         Locked := True;
      end Lock;
      procedure Unlock is
      begin
         Locked := False;
      end Unlock;
   end Mutex;
   type Mutex_Ref is access Mutex;
   task type Worker (First, Second : Mutex_Ref);
   type Worker_Ref is access Worker;
   task body Worker is
   begin
      First.Lock;
      Second.Lock;
      Second.Unlock;
      First.Unlock;
   end Worker;
   procedure Start (N : Integer) is
      Locks : array (0 .. N - 1) of Mutex_Ref;
      Workers : array (0 .. N - 1) of Worker_Ref;
   begin
      for I in 0 .. N - 1 loop
         Locks (I) := new Mutex;
      end loop;
      for I in 0 .. N - 1 loop
         Workers (I) := new Worker (Locks (I), Locks ((I + 1) mod N));
      end loop;
   end Start;
begin
   Start (2);
end G_Creator_With_Constant_Bound;
