--  expect: circular-wait
--  The same with protected forks taken in a circle: the classic deadlock.
procedure C_Philosophers_Circular is
   protected type Fork is
      entry Take;
      procedure Release;
   private
      Free : Boolean := True;
   end Fork;
   protected body Fork is
      entry Take when Free is
      begin
         Free := False;
      end Take;
      procedure Release is
      begin
         Free := True;
      end Release;
   end Fork;
   Forks : array (1 .. 3) of Fork;
   task type Philosopher (Left, Right : Positive);
   task body Philosopher is
   begin
      Forks (Left).Take;
      Forks (Right).Take;
      Forks (Left).Release;
      Forks (Right).Release;
   end Philosopher;
   A : Philosopher (1, 2);
   B : Philosopher (2, 3);
   C : Philosopher (3, 1);
begin
   null;
end C_Philosophers_Circular;
