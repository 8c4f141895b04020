--  expect: holds
--  The main program reads after the tasks have ended: no race.
procedure E_No_Race_After_Join is
   X : Integer := 0;
begin
   declare
      task A;
      task body A is
      begin
         X := 1;
      end A;
   begin
      null;
   end;
   X := X + 1;
   pragma Assert (X = 2);
end E_No_Race_After_Join;
