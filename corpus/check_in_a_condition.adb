--  expect: tasking-error, unhandled-exception, dead-entry
--  An intermediate result beyond Integer, where the program is prepared for it.
procedure Check_In_A_Condition is
   task Server is entry Go; end Server;
   task body Server is
      X : Integer := 100_000;
   begin
      X := X + 1;
      begin
         if X * X > 5 then null; end if;
      exception
         when Constraint_Error => raise Program_Error;
      end;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_In_A_Condition;
