--  expect: unhandled-exception
--  The right operand of `and` is evaluated, whatever the left one is.
procedure Strict_And is
   Zero : Integer := 0;
   B : Boolean;
begin
   B := Zero /= 0 and 1 / Zero > 0;
   if B then Zero := 1; end if;
end Strict_And;
