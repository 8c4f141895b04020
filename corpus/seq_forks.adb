--  Who eats has both forks: proved with three task automata, or by exploring every state.
--  property: seq_forks.qre
--  expect: holds
procedure Seq_Forks is
   task type Fork is
      entry Up;
      entry Down;
   end Fork;
   task body Fork is
   begin
      loop
         select
            accept Up;
         or
            terminate;
         end select;
         accept Down;
      end loop;
   end Fork;
   Forks : array (1 .. 3) of Fork;
   task type Philosopher (Left, Right : Positive);
   Meals : Natural := 0;
   task body Philosopher is
   begin
      for I in 1 .. 2 loop
         Forks (Left).Up;
         Forks (Right).Up;
         Forks (Right).Down;
         Forks (Left).Down;
      end loop;
   end Philosopher;
   A : Philosopher (1, 2);
   B : Philosopher (2, 3);
   C : Philosopher (1, 3);
begin
   null;
end Seq_Forks;
