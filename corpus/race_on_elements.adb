--  expect: race?
--  One writes an element that the other may read: which one is not known.
procedure Race_On_Elements is
   type Vector is array (1 .. 900) of Integer;
   A : Vector;
   task T1; task T2;
   task body T1 is begin A (5) := 1; end T1;
   task body T2 is begin A (5) := 2; end T2;
begin null; end Race_On_Elements;
