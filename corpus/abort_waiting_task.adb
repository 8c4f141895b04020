--  expect: holds
--  Abort ends a server that waits for ever.
procedure Abort_Waiting_Task is
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      loop
         accept Work;
      end loop;
   end Server;
begin
   Server.Work;
   abort Server;
end Abort_Waiting_Task;
