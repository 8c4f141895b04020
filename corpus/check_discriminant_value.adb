--  expect: tasking-error, unhandled-exception, dead-entry
--  A discriminant outside of its subtype.
procedure Check_Discriminant_Value is
   task Server is entry Go; end Server;
   task body Server is
      task type Worker (N : Positive);
      task body Worker is begin null; end Worker;
      Zero : Integer := 0;
   begin
      declare
         W : Worker (Zero);
      begin
         null;
      end;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Discriminant_Value;
