--  expect: client-blocked, dead-entry
--  A sum beyond Integer, in a variable that decides nothing.
procedure Check_Overflow is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   Y : Integer := 2_000_000_000;
begin
   Y := Y + Y;
exception
   when Constraint_Error => Gate.Wait;
end Check_Overflow;
