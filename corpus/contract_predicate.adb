--  expect: unhandled-exception
--  A predicate is checked with every assignment.
pragma Assertion_Policy (Check);
procedure Contract_Predicate is
   subtype Odd is Integer with Static_Predicate => Odd in 1 | 3 | 5;
   X : Odd := 1;
begin
   for I in 1 .. 2 loop
      X := X + I;
   end loop;
end Contract_Predicate;
