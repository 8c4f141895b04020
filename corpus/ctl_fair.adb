--  Under a fair scheduler and first-in, first-out queues, everybody in a queue that is served again and again is served.
--  expect: holds
--  options: --fair fifo
procedure Ctl_Fair is
   task Server is
      entry Ask;
   end Server;
   task Busy;
   task body Server is
   begin
      loop
         accept Ask;
      end loop;
   end Server;
   task body Busy is
   begin
      loop
         Server.Ask;
      end loop;
   end Busy;
begin
   loop
      --@ assert eventually accept Server.Ask by Ctl_Fair
      Server.Ask;
   end loop;
end Ctl_Fair;
