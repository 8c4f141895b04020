--  expect: server-idle
--  Delays are any time: that the server is ready first is not assumed.
procedure Timed_By_Delays is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
   end Server;
begin
   delay 2.0;
   select
      Server.Work;
   else
      null;
   end select;
end Timed_By_Delays;
