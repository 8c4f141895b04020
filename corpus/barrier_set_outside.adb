--  expect: client-blocked, race
--
--  Nobody looks at the barrier again when the variable is set: that is no protected action. Who calls the entry reads the variable (a note: it is
--  atomic).
procedure Barrier_Set_Outside is
   Ready : Boolean := False;
   pragma Atomic (Ready);
   protected Gate is
      entry Pass;
   end Gate;
   protected body Gate is
      entry Pass when Ready is
      begin
         null;
      end Pass;
   end Gate;
   task Guest;
   task body Guest is
   begin
      Gate.Pass;
   end Guest;
begin
   delay 0.1;
   Ready := True;
end Barrier_Set_Outside;
