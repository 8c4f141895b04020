--  expect: client-blocked, dead-entry, server-idle
--
--  A task that is aborted during its activation raises nothing in the task that activates it (9.2): the main program
--  goes on, and waits for ever.
procedure Abort_During_Activation is
   task Killer is
      entry Go;
      entry Never;
   end Killer;
   function Call return Integer is
   begin
      Killer.Go;
      return 1;
   end Call;
   task Victim;
   task body Victim is
      X : Integer := Call;
   begin
      null;
   end Victim;
   task body Killer is
   begin
      accept Go do
         abort Victim;
      end Go;
      accept Go;
      accept Never;
   end Killer;
begin
   Killer.Never;
end Abort_During_Activation;
