--  expect: holds
--  A protocol driven by an enumeration and a case statement.
procedure Enumeration_Case is
   type State is (Idle, Busy, Done);
   task Server is
      entry Next (S : out State);
   end Server;
   task body Server is
      Current : State := Idle;
   begin
      while Current /= Done loop
         case Current is
            when Idle => Current := Busy;
            when Busy => Current := State'Succ (Current);
            when Done => pragma Assert (False);
         end case;
         accept Next (S : out State) do
            S := Current;
         end Next;
      end loop;
   end Server;
   S : State;
begin
   Server.Next (S);
   pragma Assert (S = Busy);
   Server.Next (S);
   pragma Assert (S = Done and State'Pos (S) = 2);
end Enumeration_Case;
