--  expect: dead-entry, program-error, unhandled-exception
--  conformance: ceilings need privileges to run
--  A call that is requeued to an object with a lower ceiling than the priority of the server.
pragma Task_Dispatching_Policy (FIFO_Within_Priorities);
pragma Locking_Policy (Ceiling_Locking);
procedure Ceiling_Requeue is
   protected Low with Priority => 10 is entry Q; end Low;
   protected body Low is entry Q when True is begin null; end Q; end Low;
   task S with Priority => 20 is entry E; end S;
   task body S is
   begin
      accept E do
         requeue Low.Q;
      end E;
   end S;
   task T with Priority => 20;
   task body T is begin S.E; end T;
begin
   null;
end Ceiling_Requeue;
