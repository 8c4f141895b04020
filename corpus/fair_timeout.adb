--  A call that nobody else comes before is made some time; once it is in the queue, the server accepts it instead of waiting.
--  property: fair_timeout.qre
--  expect: holds
procedure Fair_Timeout is
   task Server is
      entry Ask;
   end Server;
   task Asker;
   task body Server is
   begin
      loop
         select
            accept Ask;
         or
            delay 1.0;
         end select;
      end loop;
   end Server;
   task body Asker is
   begin
      Server.Ask;
   end Asker;
begin
   null;
end Fair_Timeout;
