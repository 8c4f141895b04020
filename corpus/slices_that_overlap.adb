--  expect: client-blocked, dead-entry
--  Overlapping slice assignment copies as a whole (RM 5.2(15)).
procedure Slices_That_Overlap is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   type V is array (1 .. 4) of Integer;
   X : V := (1, 2, 3, 4);
begin
   X (2 .. 4) := X (1 .. 3);
   if X (4) = 3 then Gate.Wait; end if;
end Slices_That_Overlap;
