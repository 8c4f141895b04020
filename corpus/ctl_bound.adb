--  What lies beyond a bound is not known: nothing is impossible because of it. What one execution shows stands.
--  property: ctl_bound.ctl
--  expect: far?, comes?, never, not_yet?
procedure Ctl_Bound is
   procedure Count (N : Integer) is
   begin
      if N > 0 then
         Count (N - 1);
         --@ event back
         null;
      end if;
   end Count;
begin
   --@ event begun
   null;
   Count (50);
   --@ event done
   null;
end Ctl_Bound;
