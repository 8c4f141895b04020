--  expect: dead-entry
--
--  The caller is aborted before the task that it calls is completed: it ends of the abort, and no exception is raised.
procedure Aborted_In_A_Queue is
   task Server is
      entry Go;
   end Server;
   task Client;
   task body Client is
   begin
      Server.Go;
   exception
      when Tasking_Error =>
         --@ assert 1 = 2
         null;
   end Client;
   task body Server is
   begin
      while Go'Count = 0 loop
         delay 0.1;
      end loop;
      abort Client;
   end Server;
begin
   null;
end Aborted_In_A_Queue;
