--  expect: at_once
--  property: ends_of_tasks.qre
--
--  Who calls a task that is completed hears of it before the task has ended, or after.
procedure Ends_Of_Tasks is
   task Server is
      entry Never;
   end Server;
   task Client;
   task body Server is
   begin
      null;
   end Server;
   task body Client is
   begin
      Server.Never;
   exception
      when Tasking_Error =>
         --@ event refused
         null;
   end Client;
begin
   null;
end Ends_Of_Tasks;
