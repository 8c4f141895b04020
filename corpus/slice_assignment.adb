--  expect: holds
--  Plain slice assignment of equal lengths raises nothing.
procedure Slice_Assignment is
   type V is array (1 .. 4) of Integer;
   A : V := (1, 2, 1, 2);
begin
   A (1 .. 2) := A (3 .. 4);
   pragma Assert (A (1) = 1 and A (2) = 2);
   A (3 .. 4) := (2, 1);
   pragma Assert (A (3) = 2);
end Slice_Assignment;
