--  expect: spin
--  A task waits busily for a flag that nobody sets.
procedure E_Never_Set_Flag is
   Ready : Boolean := False;
   pragma Atomic (Ready);
   task Waiter;
   task body Waiter is
   begin
      while not Ready loop
         delay 0.01;
      end loop;
   end Waiter;
begin
   if Ready then
      Ready := False;
   end if;
end E_Never_Set_Flag;
