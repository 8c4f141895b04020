--  expect: holds
--  A qualified expression must belong to the subtype: its range, or its bounds.
procedure Qualified_Bounds is
   subtype Small is Integer range 0 .. 9;
   type Colour is (Red, Green, Blue);
   subtype Warm is Colour range Red .. Red;
   type Numbers is array (Positive range <>) of Integer;
   subtype Two is Numbers (1 .. 2);
   N : Integer := 5;
   C : Colour := Red;
   A : Numbers (1 .. 4) := (1, 2, 3, 4);
   B : Two := (1, 2);
   Failures : Integer := 0;
begin
   N := 50;
   C := Blue;
   begin N := Small'(N); exception when Constraint_Error => Failures := Failures + 1; end;
   begin C := Warm'(C); exception when Constraint_Error => Failures := Failures + 1; end;
   begin C := Warm (C); exception when Constraint_Error => Failures := Failures + 1; end;
   begin B := Two'(A (3 .. 4)); exception when Constraint_Error => Failures := Failures + 1; end;
   B := Two'(A (1 .. 2));
   if Failures /= 4 or B (2) /= 2 then
      raise Program_Error;
   end if;
end Qualified_Bounds;
