--  expect: server-idle
--  The clients are done; a server without terminate waits for ever.
procedure A_Missing_Terminate is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      loop
         accept Work;
      end loop;
   end Server;
begin
   Server.Work;
   Server.Work;
end A_Missing_Terminate;
