--  The philosophers, each of whom takes the fork with the smaller number first.
procedure Ordered is
   N : constant := 3;
   task type Fork is
      entry Pick_Up;
      entry Put_Down;
   end Fork;
   task body Fork is
   begin
      loop
         select
            accept Pick_Up;
            accept Put_Down;
         or
            terminate;
         end select;
      end loop;
   end Fork;
   Forks : array (0 .. N - 1) of Fork;
   task type Philosopher (Id : Integer);
   task body Philosopher is
      Left  : constant Integer := Id;
      Right : constant Integer := (Id + 1) mod N;
   begin
      for I in 1 .. 2 loop
         Forks (Integer'Min (Left, Right)).Pick_Up;
         Forks (Integer'Max (Left, Right)).Pick_Up;
         Forks (Left).Put_Down;
         Forks (Right).Put_Down;
      end loop;
   end Philosopher;
   P0 : Philosopher (0);
   P1 : Philosopher (1);
   P2 : Philosopher (2);
begin
   null;
end Ordered;
