--  property: ctl_barrier_raises.ctl
--  expect: holds
--  A call whose barrier raises an exception is not served.
procedure ctl_barrier_raises is
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
end ctl_barrier_raises;
