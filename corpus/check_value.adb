--  expect: unhandled-exception, server-idle, dead-entry
--  'Value of a string that is no number.
procedure Check_Value is
   
   task Server is entry Go; end Server;
   task Client;
   task body Server is begin accept Go; end Server;
   task body Client is
      X : Integer := 0; Y : Integer := 1;
   begin
      Y := Integer'Value ("abc");
      Server.Go;
   end Client;
begin null; end Check_Value;
