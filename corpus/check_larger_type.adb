--  expect: tasking-error, unhandled-exception, dead-entry
--  A number of a larger type that is no Integer.
procedure Check_Larger_Type is
   task Server is entry Go; end Server;
   task body Server is
      Large : Long_Long_Integer := 1;
      X : Integer := 0;
   begin
      Large := Large * 2 ** 40;
      X := Integer (Large);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Larger_Type;
