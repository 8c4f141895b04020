--  expect: program-error
--  conformance: ceilings need privileges to run
--  The main procedure has a priority of its own, which tasks without one inherit.
pragma Task_Dispatching_Policy (FIFO_Within_Priorities);
pragma Locking_Policy (Ceiling_Locking);
procedure Ceiling_Of_Main is
   pragma Priority (80);
   protected P with Priority => 50 is procedure Q; end P;
   protected body P is procedure Q is null; end P;
   task T;
   task body T is begin P.Q; end T;
begin
   null;
end Ceiling_Of_Main;
