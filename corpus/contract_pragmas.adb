--  expect: holds
--  Preconditions given by pragmas, after the declaration or in the body.
pragma Assertion_Policy (Check);
with Ada.Assertions; use Ada.Assertions;
procedure Contract_Pragmas is
   Failures : Integer := 0;
   procedure Before (X : Integer);
   pragma Precondition (X > 5);
   procedure Before (X : Integer) is null;
   procedure Within (X : Integer) is
      pragma Precondition (X > 5);
   begin
      null;
   end Within;
begin
   begin Before (3); exception when Assertion_Error => Failures := Failures + 1; end;
   begin Within (3); exception when Assertion_Error => Failures := Failures + 1; end;
   Before (6);
   Within (6);
   if Failures /= 2 then
      raise Program_Error;
   end if;
end Contract_Pragmas;
