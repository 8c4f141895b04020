--  expect: holds
--  The value for an empty range of components is not evaluated.
procedure Aggregate_Null_Range is
   type Values is array (Integer range <>) of Float;
   function F return Float is
   begin
      raise Program_Error;
      return 0.0;
   end F;
   V : Values := (1 .. 0 => F);
begin
   null;
end Aggregate_Null_Range;
