--  expect: unhandled-exception
--  Two-dimensional arrays; Done at the end shows that all assertions hold.
procedure Matrices is
   Done : exception;
   type M is array (1 .. 2, -1 .. 1) of Integer;
   A : M := ((1, 2, 3), (4, others => 7));
   B : M := (others => (others => 0));
   C : M := (2 => (-1 => 9, 0 .. 1 => 8), 1 => (others => 5));
   S : Integer := 0;
   type V is array (Integer range <>) of Integer;
   X : V (3 .. 6) := (3 | 5 => 1, others => 2);
   Y : V (1 .. 4);
begin
   pragma Assert (A (2, -1) = 4 and A (2, 0) = 7 and A (2, 1) = 7);
   pragma Assert (A'Length (2) = 3 and A'First (2) = -1 and A'Last = 2);
   for I in A'Range (1) loop
      for J in A'Range (2) loop
         S := S + A (I, J) * (if J < 0 then 10 else 1);
      end loop;
   end loop;
   pragma Assert (S = 10 + 2 + 3 + 40 + 7 + 7);
   B := A;
   A (1, 0) := 100;
   pragma Assert (B (1, 0) = 2);
   pragma Assert (B /= A);
   B (1, 0) := 100;
   pragma Assert (B = A);
   pragma Assert (C (2, -1) = 9 and C (2, 1) = 8 and C (1, 1) = 5);
   Y := X;                       --  bounds slide
   pragma Assert (Y (1) = 1 and Y (2) = 2 and Y (3) = 1 and Y (4) = 2);
   pragma Assert (X = Y);        --  equality ignores bounds
   X (4 .. 6) := X (3 .. 5);     --  overlapping slice
   pragma Assert (X (3) = 1 and X (4) = 1 and X (5) = 2 and X (6) = 1);
   raise Done;
end Matrices;
