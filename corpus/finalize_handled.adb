--  expect: holds
--  The exception in Finalize becomes Program_Error, which is handled.
with Ada.Finalization;
procedure finalize_handled is
   package P is
      type C is new Ada.Finalization.Limited_Controlled with null record;
      procedure Finalize (X : in out C);
   end P;
   package body P is
      procedure Finalize (X : in out C) is begin raise Constraint_Error; end Finalize;
   end P;
begin
   declare
      X : P.C;
   begin null; end;
exception when Program_Error => null;
end finalize_handled;
