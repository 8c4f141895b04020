--  expect: unhandled-exception
--  An exception in Finalize becomes Program_Error; Done at the end shows that the handler for it ran.
with Ada.Finalization;
procedure Finalize_Raises is
   package P is
      type C is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Finalize (X : in out C);
   end P;
   package body P is
      overriding procedure Finalize (X : in out C) is begin raise Constraint_Error; end Finalize;
   end P;
   Done : exception;
   N : Integer := 0;
begin
   begin
      declare
         X : P.C;
      begin
         null;
      end;
   exception
      when Constraint_Error => N := 1;
      when Program_Error => N := 2;
   end;
   pragma Assert (N = 2);
   raise Done;
end Finalize_Raises;
