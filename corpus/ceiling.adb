--  expect: client-blocked, dead-entry, program-error
--  With Ceiling_Locking, a call from above the ceiling raises Program_Error; the handler waits for ever.
pragma Task_Dispatching_Policy (FIFO_Within_Priorities);
pragma Locking_Policy (Ceiling_Locking);
with System;
procedure Ceiling is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   protected P with Priority => System.Default_Priority - 5 is
      procedure X;
   end P;
   protected body P is
      procedure X is begin null; end X;
   end P;
   protected Q is
      pragma Priority (System.Default_Priority);
      procedure X;
   end Q;
   protected body Q is
      procedure X is begin null; end X;
   end Q;
   task T with Priority => System.Default_Priority;
   task body T is
   begin
      Q.X;
      P.X;
   exception
      when Program_Error => Gate.Wait;
   end T;
begin
   null;
end Ceiling;
