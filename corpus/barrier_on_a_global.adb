--  expect: client-blocked, race
--  Barrier looks at a global variable that is changed without a protected action: nobody re-evaluates it.
procedure Barrier_On_A_Global is
   G : Boolean := False;
   pragma Volatile (G);
   protected P is entry E; end P;
   protected body P is entry E when G is begin null; end E; end P;
   task T;
   task body T is begin P.E; end T;
begin
   delay 0.1;
   G := True;
end Barrier_On_A_Global;
