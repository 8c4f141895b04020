--  expect: dead-entry
--  The program ends at once: nobody waits for the server.
with GNAT.OS_Lib;
procedure OS_Exit is
   task Server is entry Go; end Server;
   task body Server is begin accept Go; end Server;
begin
   GNAT.OS_Lib.OS_Exit (0);
end OS_Exit;
