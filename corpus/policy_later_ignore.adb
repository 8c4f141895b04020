--  expect: unhandled-exception
--  The contract was declared where contracts are checked; what is stated later is about what comes later.
pragma Assertion_Policy (Check);
procedure Policy_Later_Ignore is
   procedure Step (X : Integer) with Pre => X > 5;
   procedure Step (X : Integer) is null;
   pragma Assertion_Policy (Ignore);
begin
   Step (3);
end Policy_Later_Ignore;
