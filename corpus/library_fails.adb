--  expect: holds
--  conformance: the library raises an exception, which the verdict assumes it does not
--  trace: the library raises no exception that nobody names
--  A file that may not be there.
with Ada.Text_IO; use Ada.Text_IO;
procedure Library_Fails is
   File : File_Type;
   task Server is entry Go; end Server;
   task body Server is
   begin
      Open (File, In_File, "nowhere");
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Library_Fails;
