--  expect: assertion?, circular-wait?, client-blocked?, dead-entry?, program-error?, race?, server-idle?, spin?, tasking-error?, unhandled-exception?
--  trace: Around of recursion_without_end is called within itself at most 32 times
--
--  The recursion computes nothing, but what follows it never happens.
procedure Recursion_Without_End is
   task Server is
      entry Go;
   end Server;
   task body Server is
   begin
      accept Go;
   end Server;
   procedure Around is
   begin
      Around;
   end Around;
begin
   Around;
   Server.Go;
end Recursion_Without_End;
