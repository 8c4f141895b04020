--  Queues that are in order serve everybody in them.
--  property: fair_queue.qre
--  options: --fair fifo
--  expect: holds
procedure Fair_Queue is
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
end Fair_Queue;
