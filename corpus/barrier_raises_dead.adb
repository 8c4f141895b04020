--  expect: program-error, dead-entry
--  The barrier is closed or raises an exception: the body never runs.
procedure barrier_raises_dead is
   protected P is
      entry E;
      procedure Go;
   private
      N : Integer := 1;
   end P;
   protected body P is
      entry E when 10 / N = 3 is begin null; end E;
      procedure Go is begin N := 0; end Go;
   end P;
   task T;
   task body T is begin P.E; exception when Program_Error => null; end T;
begin
   P.Go;
end barrier_raises_dead;
