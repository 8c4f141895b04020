--  expect: dead-entry
--  A triggering call that is only ever withdrawn is not served.
procedure Dead_Trigger is
   protected P is
      entry B;
   private
      G : Boolean := False;
   end P;
   protected body P is
      entry B when G is begin null; end B;
   end P;
begin
   select
      P.B;
   then abort
      delay 1.0;
   end select;
end Dead_Trigger;
