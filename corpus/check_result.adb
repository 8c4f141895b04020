--  expect: client-blocked, dead-entry
--  The result of a function outside of its subtype.
procedure Check_Result is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   subtype S is Integer range 1 .. 10;
   function Ret (V : Integer) return S is (V);
   I : Integer := 0;
begin
   I := Ret (I);
exception
   when Constraint_Error => Gate.Wait;
end Check_Result;
