--  expect: holds
--  A policy counts from its place on: the contract before it is not checked.
procedure Policy_Later_Check is
   procedure Step (X : Integer) with Pre => X > 5;
   procedure Step (X : Integer) is null;
   pragma Assertion_Policy (Check);
begin
   Step (3);
end Policy_Later_Check;
