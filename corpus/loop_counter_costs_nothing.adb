--  expect: holds
--  states: 11
--  A counter that decides nothing is not part of the state: 100,000 rounds, a dozen states.
procedure Loop_Counter_Costs_Nothing is
   Sum : Integer := 0;
   task T;
   task body T is
   begin
      for I in 1 .. 100_000 loop
         Sum := Sum + I mod 7;
      end loop;
   end T;
begin
   null;
end Loop_Counter_Costs_Nothing;
