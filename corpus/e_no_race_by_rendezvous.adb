--  expect: holds
--  A rendezvous orders the accesses: no race.
procedure E_No_Race_By_Rendezvous is
   X : Integer := 0;
   task T is
      entry Ready;
   end T;
   task body T is
   begin
      X := 1;
      accept Ready;
   end T;
begin
   T.Ready;
   X := X + 1;
end E_No_Race_By_Rendezvous;
