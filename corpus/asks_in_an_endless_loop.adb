--  expect: holds
--  The answer decides nothing, and the loop has no exit: nobody waits for anything.
procedure Asks_In_An_Endless_Loop is
   task Worker;

   task body Worker is
   begin
      null;
   end Worker;
begin
   loop
      if Worker'Callable then
         null;
      end if;
   end loop;
end Asks_In_An_Endless_Loop;
