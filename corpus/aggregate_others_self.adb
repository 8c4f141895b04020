--  expect: client-blocked, dead-entry
--  Every element gets a value that was computed with the old first one.
procedure Aggregate_Others_Self is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   type Vec is array (1 .. 3) of Integer;
   V : Vec := (1, 2, 3);
begin
   V := (others => V (1) + 1);
   if V (1) = 2 and V (3) = 2 then Gate.Wait; end if;
end Aggregate_Others_Self;
