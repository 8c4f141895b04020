--  expect: holds
--  Minus, not and differences of modular types wrap around, of literals, too (RM 4.5.4, 3.5.4).
procedure Modular_Minus is
   type M is mod 2 ** 8;
   X : M := -1;
   Y : M := 255;
begin
   if X /= 255 or Y /= -1 then
      raise Program_Error;
   end if;
   X := 3 - 4;
   if X /= Y then
      raise Program_Error;
   end if;
   X := not 0;
   if X /= Y then
      raise Program_Error;
   end if;
end Modular_Minus;
