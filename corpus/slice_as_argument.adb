--  expect: holds
--  A slice slides to the bounds of the parameter: nothing fails.
procedure Slice_As_Argument is
   type GV is array (Integer range <>) of Integer;
   subtype V is GV (1 .. 4);
   task T is entry Data (P : in V); end T;
   task body T is
      L : V;
   begin
      accept Data (P : in V) do L := P; end Data;
   end T;
   Z : GV (1 .. 6) := (others => 1);
begin
   T.Data (Z (3 .. 6));   --  slides: no Constraint_Error in Ada
end Slice_As_Argument;
