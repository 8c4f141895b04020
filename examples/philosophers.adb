procedure Philosophers is
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
   begin
      for I in 1 .. 2 loop
         Forks (Id).Pick_Up;
         Forks ((Id + 1) mod N).Pick_Up;
         Forks (Id).Put_Down;
         Forks ((Id + 1) mod N).Put_Down;
      end loop;
   end Philosopher;
   P0 : Philosopher (0);
   P1 : Philosopher (1);
   P2 : Philosopher (2);
begin
   null;
end Philosophers;
