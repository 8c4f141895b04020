--  expect: circular-wait, dead-entry
--  If S accepted the triggering call, C would leave P.V and accept Y; but S waits for Y first.
procedure Circle_By_A_Trigger is
   protected P is entry V; end P;
   protected body P is
      entry V when False is begin null; end V;
   end P;
   task S is entry A; end S;
   task C is entry Y; end C;
   task body S is
   begin
      C.Y;
      accept A;
   end S;
   task body C is
   begin
      select
         S.A;
      then abort
         P.V;
      end select;
      accept Y;
   end C;
begin
   null;
end Circle_By_A_Trigger;
