--  expect: unhandled-exception
--  The library's procedure raises Assertion_Error, whatever the policy is.
with Ada.Assertions;
procedure Assert_Procedure is
   X : Integer := 3;
begin
   Ada.Assertions.Assert (X = 3);
   X := 4;
   begin
      Ada.Assertions.Assert (X > 5, "small");
      raise Program_Error;
   exception
      when Ada.Assertions.Assertion_Error => null;
   end;
   Ada.Assertions.Assert (X > 5);
end Assert_Procedure;
