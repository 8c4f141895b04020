--  expect: tasking-error, unhandled-exception, dead-entry
--  The default of a parameter does not fit.
procedure Check_Default_Argument is
   task Server is entry Go; end Server;
   task body Server is
      function Zero return Integer is (0);
      procedure Take (V : Positive := Zero) is begin null; end Take;
   begin
      Take;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Default_Argument;
