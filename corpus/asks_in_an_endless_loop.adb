--  expect: holds
--  The answer decides nothing, and the loop has no exit: nobody waits for anything.
procedure Asks_In_An_Endless_Loop is
   L : Integer := 0;

   task Worker;

   task body Worker is
   begin
      null;
   end Worker;
begin
   loop
      L := (L + 1) mod 3;
      if Worker'Callable then
         null;
      end if;
   end loop;
end Asks_In_An_Endless_Loop;
