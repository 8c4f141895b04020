--  expect: unhandled-exception
--  An assertion that the policy ignores is not evaluated.
pragma Assertion_Policy (Ignore);
procedure Assertion_Ignored is
   X : Integer := 0;
   function F return Boolean is begin X := 1; return True; end F;
begin
   pragma Assert (F);
   if X = 0 then raise Program_Error; end if;
end Assertion_Ignored;
