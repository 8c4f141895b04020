--  expect: race
--  An aggregate with bounds of its own slides to those of its target (RM 4.3.3, 4.6): no check fails, and both write G (4).
procedure Aggregate_Slides is
   type A is array (1 .. 8) of Integer;
   type Any is array (Positive range <>) of Integer;
   subtype Three is Any (1 .. 3);
   G : A := (others => 0);
   H : Three := (5 => 1, 6 => 2, 7 => 3);
   task T1;
   task T2;
   task body T1 is
   begin
      G (4) := 7;
   end T1;
   task body T2 is
   begin
      G (4 .. 5) := (1 => 2, 2 => 3);
   end T2;
begin
   pragma Assert (H (2) = 2);
end Aggregate_Slides;
