--  expect: unhandled-exception, assertion
--  Statement_Assertions names all assertions among statements; quantified ones need no parentheses.
procedure Policy_Statement_Assertions is
   pragma Assertion_Policy (Pre => Ignore, Statement_Assertions => Check);
   type Numbers is array (1 .. 3) of Integer;
   A : Numbers := (1, 2, 3);
begin
   A (2) := 5;
   pragma Assert (for all I in 1 .. 3 => A (I) < 4);
end Policy_Statement_Assertions;
