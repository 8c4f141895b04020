--  expect: unhandled-exception
--  The precondition of a generic procedure holds for its instances.
procedure Contract_Of_Generic is
   pragma Assertion_Policy (Check);
   generic
   procedure Take (X : Integer) with Pre => X > 0;
   procedure Take (X : Integer) is
   begin
      null;
   end Take;
   procedure Instance is new Take;
   Zero : Integer := 0;
begin
   Instance (Zero);
end Contract_Of_Generic;
