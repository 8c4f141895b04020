--  expect: unhandled-exception
--  The bounds of the aggregate do not belong to the index subtype (RM 4.3.3).
procedure Aggregate_Does_Not_Slide is
   type A is array (1 .. 3) of Integer;
   X : A := (0, 0, 0);
begin
   X := (5 => 1, 6 => 2, 7 => 3);
end Aggregate_Does_Not_Slide;
