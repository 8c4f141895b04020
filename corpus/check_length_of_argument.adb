--  expect: tasking-error, unhandled-exception, dead-entry
--  A string that is too long for a parameter.
procedure Check_Length_Of_Argument is
   task Server is entry Go; end Server;
   task body Server is
      subtype Short is String (1 .. 3);
      procedure Take (S : Short) is begin null; end Take;
      Long : String (1 .. 4) := "long";
   begin
      Take (Long);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Length_Of_Argument;
