--  The door stays shut until it is opened; after that it is open for good.
--  expect: holds
procedure Ctl_Until is
   task Door is
      entry Open;
      entry Pass;
   end Door;
   task body Door is
   begin
      --@ assert (not ended Guest) unless accept Door.Pass
      accept Open;
      --@ assert not (potentially accept Door.Open)
      loop
         select
            accept Pass;
         or
            terminate;
         end select;
      end loop;
   end Door;
   task Guest;
   task body Guest is
   begin
      Door.Pass;
      --@ assert not (potentially accept Door.Pass)
      null;
   end Guest;
begin
   Door.Open;
end Ctl_Until;
