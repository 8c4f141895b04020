--  expect: spin
--
--  Nothing in the program ever assigns to the variable.
procedure Spin_On_What_Never_Changes is
   Ready : Boolean := False;
   pragma Atomic (Ready);
   task Waiter;
   task body Waiter is
   begin
      while not Ready loop
         null;
      end loop;
   end Waiter;
begin
   null;
end Spin_On_What_Never_Changes;
