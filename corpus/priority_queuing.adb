--  expect: assertion?, circular-wait?, client-blocked?, dead-entry?, program-error?, race?, server-idle?, spin?, tasking-error?, unhandled-exception?
--  With Priority_Queuing nothing is known: queues are first in, first out here.
pragma Queuing_Policy (Priority_Queuing);
procedure Priority_Queuing is
   protected P is
      entry W (N : Integer);
      entry Both;
      procedure O;
   private
      F : Boolean := False;
      Last : Integer := 0;
   end P;
   protected body P is
      entry W (N : Integer) when F is begin pragma Assert (N > Last); Last := N; end W;
      entry Both when W'Count = 2 is begin null; end Both;
      procedure O is begin F := True; end O;
   end P;
   task T1 with Priority => 10; task T2 with Priority => 5;
   task body T1 is begin P.W (1); end T1;
   task body T2 is begin P.W (2); end T2;
begin
   P.Both;
   P.O;
end Priority_Queuing;
