--  expect: circular-wait, dead-entry
--  A slice slides to the bounds of its target: what follows is a circular wait.
procedure Slice_Slides is
   type GV is array (Integer range <>) of Integer;
   subtype V is GV (1 .. 4);
   task T is entry Data (P : in V); entry Go; end T;
   task U is entry Go; end U;
   task body T is
      L : V;
   begin
      accept Data (P : in V) do L := P; end Data;
      U.Go;
      accept Go;
   end T;
   task body U is begin T.Go; accept Go; end U;
   Z : GV (1 .. 6) := (others => 1);
begin
   T.Data (Z (3 .. 6));
end Slice_Slides;
