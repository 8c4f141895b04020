--  expect: client-blocked, dead-entry
--  The same for an array: two elements are exchanged.
procedure Aggregate_Swaps_Array is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   type Vec is array (1 .. 2) of Integer;
   V : Vec := (1, 2);
begin
   V := (V (2), V (1));
   if V (1) = 2 and V (2) = 1 then Gate.Wait; end if;
end Aggregate_Swaps_Array;
