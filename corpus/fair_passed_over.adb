--  Without order in queues, a call may be put off for ever while others are served on the same entry.
--  property: fair_queue.qre
--  expect: first, second, each, other
--  trace: LOOP
procedure Fair_Passed_Over is
   task Server is
      entry Ask;
   end Server;
   task One;
   task Two;
   task body Server is
   begin
      loop
         accept Ask;
      end loop;
   end Server;
   task body One is
   begin
      loop
         Server.Ask;
         --@ event one
         null;
      end loop;
   end One;
   task body Two is
   begin
      loop
         --@ event two
         null;
         Server.Ask;
      end loop;
   end Two;
begin
   null;
end Fair_Passed_Over;
