--  expect: server-idle
--  trace: waits for the end of Server
--  The main program has no statements left, yet the program does not end.
procedure Main_Is_Blocked_Party is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
      accept Work;
   end Server;
   task Client;
   task body Client is
   begin
      Server.Work;
   end Client;
begin
   null;
end Main_Is_Blocked_Party;
