--  A server that finds two queues chooses: a queue that it never serves may wait for ever, also where queues are in order.
--  property: fair_choice.qre
--  options: --fair fifo
--  expect: chosen
--  trace: LOOP
procedure Fair_Choice is
   task Server is
      entry Ask;
      entry Other;
   end Server;
   task Busy;
   task Patient;
   task body Server is
   begin
      loop
         select
            accept Ask;
         or
            accept Other;
         end select;
      end loop;
   end Server;
   task body Busy is
   begin
      loop
         Server.Other;
      end loop;
   end Busy;
   task body Patient is
   begin
      Server.Ask;
   end Patient;
begin
   null;
end Fair_Choice;
