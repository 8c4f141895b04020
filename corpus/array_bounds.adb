--  expect: assertion?, unhandled-exception?
--  Aggregate and result bounds.
procedure Array_Bounds is
   Done : exception;
   type V is array (Positive range <>) of Integer;
   function Mk (N : Natural) return V is
      R : V (1 .. N);
   begin
      for I in R'Range loop R (I) := I * I; end loop;
      return R;
   end Mk;
   A : constant V := Mk (3);
   B : V := (4 => 1, 5 => 2, 6 => 3);
   C : V := A & B;
   D : V := 9 & A;
   procedure Check (X : V; F, L : Integer) is
   begin
      pragma Assert (X'First = F and X'Last = L);
   end Check;
begin
   Check (A, 1, 3);
   Check (B, 4, 6);
   pragma Assert (A (3) = 9 and B'First = 4);
   pragma Assert (C'Length = 6 and C (6) = 3);
   pragma Assert (D (1) = 9 and D (4) = 9);
   Check (B (5 .. 6), 5, 6);
   raise Done;
end Array_Bounds;
