--  expect: circular-wait, dead-entry
--  The server calls back its client inside the accept body, while the client waits for it.
procedure K_Call_In_Accept is
   task Server is
      entry Work;
   end Server;
   task Client is
      entry Reply;
   end Client;
   task body Server is
   begin
      accept Work do
         Client.Reply;
      end Work;
   end Server;
   task body Client is
   begin
      Server.Work;
      accept Reply;
   end Client;
begin
   null;
end K_Call_In_Accept;
