--  expect: assertion, unhandled-exception
--  An assertion among declarations is checked.
procedure Assertion_Declared is
   pragma Assertion_Policy (Check);
   procedure Take (X : Integer) is
      pragma Assert (X > 0);
   begin
      null;
   end Take;
begin
   Take (0);
end Assertion_Declared;
