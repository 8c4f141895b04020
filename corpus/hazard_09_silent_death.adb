--  expect: tasking-error, unhandled-exception, dead-entry
--  A task that dies of an exception dies silently; who calls it later gets Tasking_Error.
procedure Hazard_09_Silent_Death is
   task S is
      entry A;
   end S;
   task body S is
   begin
      raise Program_Error;
   end S;
begin
   S.A;
exception
   when Tasking_Error => null;
end Hazard_09_Silent_Death;
