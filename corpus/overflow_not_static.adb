--  The same operand is no static expression if a variable stands in it: then it overflows.
--  expect: unhandled-exception
procedure Overflow_Not_Static is
   Highest : Integer := Integer'Last;
   Big     : Long_Integer := 0;
begin
   Big := Long_Integer (Highest + 1);
end Overflow_Not_Static;
