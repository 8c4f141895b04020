--  Order in queues does not tell a server with a choice which queue to serve.
--  expect: assert@28
--  options: --fair fifo
procedure Ctl_Fair_Choice is
   task Server is
      entry Ask;
      entry Other;
   end Server;
   task Busy;
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
begin
   loop
      --@ assert eventually accept Server.Ask
      Server.Ask;
   end loop;
end Ctl_Fair_Choice;
