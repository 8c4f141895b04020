--  expect: unhandled-exception
--  The program's own operators are called.
procedure Operators is
   Done : exception;
   type Vec is record X, Y : Integer; end record;
   function "+" (L, R : Vec) return Vec is (L.X + R.X, L.Y + R.Y);
   function "<" (L, R : Vec) return Boolean is (L.X * L.X + L.Y * L.Y < R.X * R.X + R.Y * R.Y);
   function "=" (L, R : Vec) return Boolean is (L.X = R.X);
   A : Vec := (1, 2);
   B : Vec := (1, 3);
begin
   pragma Assert (A = B);
   pragma Assert (A < B);
   A := A + B;
   pragma Assert (A.X = 2 and A.Y = 5);
   pragma Assert (A /= B);
   raise Done;
end Operators;
