--  expect: tasking-error, unhandled-exception, dead-entry
--  A function ends without a return statement.
procedure Check_No_Return is
   task Server is entry Go; end Server;
   task body Server is
      function Sign (X : Integer) return Integer is
      begin
         if X > 0 then
            return 1;
         end if;
      end Sign;
      X : Integer := 0;
   begin
      X := Sign (X);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_No_Return;
