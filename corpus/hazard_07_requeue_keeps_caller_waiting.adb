--  expect: holds
--  After a requeue the caller still waits: it is released by the second accept only.
procedure Hazard_07_Requeue_Keeps_Caller_Waiting is
   Done : Boolean := False;
   task S is
      entry A;
      entry B;
   end S;
   task body S is
   begin
      accept A do
         requeue B;
      end A;
      pragma Assert (B'Count = 1);
      accept B do
         Done := True;
      end B;
   end S;
begin
   S.A;
   pragma Assert (Done);
end Hazard_07_Requeue_Keeps_Caller_Waiting;
