--  expect: tasking-error
--  An aborted task that waits in a queue may still be taken from it, and the other caller left.
procedure Aborted_Caller is
   task Server is
      entry E;
   end Server;
   task Victim;
   task body Victim is
   begin
      Server.E;
   end Victim;
   task body Server is
   begin
      abort Victim;
      accept E;
   end Server;
begin
   Server.E;
exception
   when Tasking_Error =>
      null;
end Aborted_Caller;
