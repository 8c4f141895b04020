--  expect: holds
--  Philosophers that take the lower fork first never deadlock.
procedure C_Philosophers_Ordered is
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
   task type Philosopher (Low, High : Positive);
   task body Philosopher is
   begin
      for Meal in 1 .. 2 loop
         Forks (Low).Take;
         Forks (High).Take;
         Forks (High).Release;
         Forks (Low).Release;
      end loop;
   end Philosopher;
   A : Philosopher (1, 2);
   B : Philosopher (2, 3);
   C : Philosopher (1, 3);
begin
   null;
end C_Philosophers_Ordered;
