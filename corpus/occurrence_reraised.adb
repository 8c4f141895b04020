--  expect: tasking-error, unhandled-exception, dead-entry
--  A server that raises again what it has caught serves nobody.
with Ada.Exceptions; use Ada.Exceptions;
procedure Occurrence_Reraised is
   task Server is entry Go; end Server;
   task body Server is
   begin
      begin
         raise Constraint_Error;
      exception
         when What : others => Reraise_Occurrence (What);
      end;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Occurrence_Reraised;
