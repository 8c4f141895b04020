--  expect: client-blocked
--  Clients that are alike once all of them are started: one of them is left waiting.
procedure Symmetric_Started_One_By_One is
   task Server is
      entry Serve;
   end Server;
   task type Client;
   type Client_Access is access Client;
   C : Client_Access;
   task body Server is
   begin
      accept Serve;
      accept Serve;
      loop
         delay 1.0;
      end loop;
   end Server;
   task body Client is
   begin
      delay 0.1;
      Server.Serve;
   end Client;
begin
   for I in 1 .. 3 loop
      C := new Client;
   end loop;
end Symmetric_Started_One_By_One;
