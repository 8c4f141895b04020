--  expect: holds
--  A task that aborts itself does nothing more.
procedure Abort_Itself is
   task type T;
   task body T is
   begin
      abort T;
      pragma Assert (False);
   end T;
   X, Y : T;
begin
   null;
end Abort_Itself;
