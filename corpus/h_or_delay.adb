--  expect: tasking-error
--  A server that gives up waiting.
procedure H_Or_Delay is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      select
         accept Work;
      or
         delay 1.0;
      end select;
   end Server;
begin
   select
      Server.Work;
   or
      delay 0.5;
   end select;
exception
   when Tasking_Error => null;
end H_Or_Delay;
