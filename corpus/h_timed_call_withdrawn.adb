--  expect: server-idle
--  A timed call that may be withdrawn leaves the server waiting.
procedure H_Timed_Call_Withdrawn is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
   end Server;
begin
   select
      Server.Work;
   or
      delay 0.1;
   end select;
end H_Timed_Call_Withdrawn;
