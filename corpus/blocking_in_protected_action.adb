--  expect: unhandled-exception
--  A delay in a protected action raises Program_Error.
pragma Detect_Blocking;
procedure Blocking_In_Protected_Action is
   protected B is procedure X; end B;
   protected body B is procedure X is begin delay 0.01; end X; end B;
begin
   B.X;
end Blocking_In_Protected_Action;
