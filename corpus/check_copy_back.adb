--  expect: tasking-error, unhandled-exception, dead-entry
--  What comes back from a parameter does not fit.
procedure Check_Copy_Back is
   task Server is entry Go; end Server;
   task body Server is
      procedure Give (V : out Integer) is begin V := -1; end Give;
      N : Natural := 3;
   begin
      Give (N);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Copy_Back;
