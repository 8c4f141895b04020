--  expect: tasking-error, unhandled-exception, dead-entry
--  Null for a parameter that excludes it.
procedure Check_Null_Excluded is
   task Server is entry Go; end Server;
   task body Server is
      type Reference is access all Integer;
      R : Reference;
      procedure Take (V : not null access Integer) is begin null; end Take;
   begin
      Take (R);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Null_Excluded;
