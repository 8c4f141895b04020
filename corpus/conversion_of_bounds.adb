--  expect: unhandled-exception
--  The bounds of an array must lie in the index subtype of the type that it is converted to (RM 4.6).
procedure Conversion_Of_Bounds is
   subtype I3 is Integer range 1 .. 3;
   type A is array (I3 range <>) of Integer;
   type B is array (Integer range <>) of Integer;
   W : B (0 .. 1) := (1, 2);
   X : A := A (W);
begin
   null;
end Conversion_Of_Bounds;
