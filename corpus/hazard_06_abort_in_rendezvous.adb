--  expect: tasking-error
--  The caller of a task that is aborted during the rendezvous, or before it, gets Tasking_Error.
procedure Hazard_06_Abort_In_Rendezvous is
   task S is
      entry A;
   end S;
   task body S is
   begin
      accept A do
         delay 5.0;
      end A;
   end S;
   task K;
   task body K is
   begin
      delay 0.1;
      abort S;
   end K;
begin
   S.A;
exception
   when Tasking_Error => null;
end Hazard_06_Abort_In_Rendezvous;
