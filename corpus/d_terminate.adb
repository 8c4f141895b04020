--  expect: holds
--  A server with a terminate alternative ends when its master is done.
procedure D_Terminate is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      loop
         select
            accept Work;
         or
            terminate;
         end select;
      end loop;
   end Server;
begin
   Server.Work;
end D_Terminate;
