--  expect: unhandled-exception, server-idle, dead-entry
--  A division by zero ends the task, though its result decides nothing.
procedure Check_Division is
   
   task Server is entry Go; end Server;
   task Client;
   task body Server is begin accept Go; end Server;
   task body Client is
      X : Integer := 0; Y : Integer := 1;
   begin
      Y := Y / X;
      Server.Go;
   end Client;
begin null; end Check_Division;
