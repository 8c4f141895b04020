--  expect: client-blocked
--  trace: waits for Server to end the rendezvous of Server.Run
--  The call is accepted, but the accept body never ends: it serves somebody else for ever.
procedure Rendezvous_Without_End is
   task Server is
      entry Run;
      entry Step;
   end Server;
   task Client;
   task Stepper;
   task body Server is
   begin
      accept Run do
         loop
            accept Step;
         end loop;
      end Run;
   end Server;
   task body Client is
   begin
      Server.Run;
   end Client;
   task body Stepper is
   begin
      loop
         Server.Step;
      end loop;
   end Stepper;
begin
   null;
end Rendezvous_Without_End;
