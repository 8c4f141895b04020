--  A call that is requeued, an exception in a rendezvous, the start and the end of a task.
--  property: seq_requeue.qre
--  expect: no_failure
procedure Seq_Requeue is
   Trouble : exception;
   task Server is
      entry Ask (N : Integer);
      entry Later (N : Integer);
   end Server;
   task Client;
   task body Server is
   begin
      accept Ask (N : Integer) do
         requeue Later;
      end Ask;
      accept Later (N : Integer);
      accept Ask (N : Integer) do
         if N = 2 then
            raise Trouble;
         end if;
      end Ask;
   exception
      when Trouble => null;
   end Server;
   task body Client is
   begin
      Server.Ask (1);
      Server.Ask (2);
   exception
      when Trouble =>
         --@ event failed
         null;
   end Client;
begin
   null;
end Seq_Requeue;
