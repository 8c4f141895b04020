--  expect: program-error?, unhandled-exception?
--  Who is served may have a higher priority than the server: in a subprogram that the accept statement calls,
--  too, nobody knows whether the ceiling is exceeded.
pragma Task_Dispatching_Policy (FIFO_Within_Priorities);
pragma Locking_Policy (Ceiling_Locking);
procedure Ceiling_Rendezvous is
   protected Low with Priority => 10 is procedure Q; end Low;
   protected body Low is procedure Q is null; end Low;
   procedure Middle is begin Low.Q; end Middle;
   task S with Priority => 5 is entry E; end S;
   task body S is
   begin
      accept E do
         Middle;
      end E;
   end S;
   task T with Priority => 20;
   task body T is begin S.E; end T;
begin
   null;
end Ceiling_Rendezvous;
