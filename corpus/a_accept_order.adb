--  expect: circular-wait, dead-entry
--  The client calls in another order than the server accepts.
procedure A_Accept_Order is
   task Server is
      entry First;
      entry Second;
   end Server;
   task body Server is
   begin
      accept First;
      accept Second;
   end Server;
begin
   Server.Second;
   Server.First;
end A_Accept_Order;
