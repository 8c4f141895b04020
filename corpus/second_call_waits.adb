--  expect: client-blocked
--  The server accepts one call and then goes on for ever by itself: the second call waits.
procedure Second_Call_Waits is
   task Server is
      entry Start;
   end Server;
   task Client;
   task body Server is
   begin
      accept Start;
      loop
         delay 1.0;
      end loop;
   end Server;
   task body Client is
   begin
      Server.Start;
      Server.Start;
   end Client;
begin
   null;
end Second_Call_Waits;
