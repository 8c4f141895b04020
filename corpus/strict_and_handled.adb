--  expect: client-blocked, dead-entry
--  The right operand of `and` raises an exception, though the left one is False.
procedure Strict_And_Handled is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   Zero : Integer := 0;
begin
   if Zero /= 0 and 10 / Zero > 1 then
      null;
   end if;
exception
   when Constraint_Error => Gate.Wait;
end Strict_And_Handled;
