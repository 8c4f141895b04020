--  expect: unhandled-exception, server-idle, dead-entry
--  An index outside of an array that is not followed element by element.
procedure Check_Index is
   A : array (1 .. 1000) of Integer := (others => 0);
   task Server is entry Go; end Server;
   task Client;
   task body Server is begin accept Go; end Server;
   task body Client is
      X : Integer := 0; Y : Integer := 1;
   begin
      A (X) := 1;
      Server.Go;
   end Client;
begin null; end Check_Index;
