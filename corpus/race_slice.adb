--  expect: race
--  A slice that one task writes contains the element that the other one reads.
procedure Race_Slice is
   A : array (1 .. 4) of Integer := (others => 0);
   X : Integer;
   task T1;
   task T2;
   task body T1 is
   begin
      A (2 .. 3) := (7, 8);
   end T1;
   task body T2 is
   begin
      X := A (3);
   end T2;
begin
   null;
end Race_Slice;
