--  expect: holds
--  trace: in the midst of an expression do not overflow
--  That intermediate results do not overflow is an assumption.
procedure Check_In_A_Condition_Assumed is
   task Server is entry Go; end Server;
   task body Server is
      X : Integer := 100_000;
   begin
      X := X + 1;
      if X * X > 5 then null; end if;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_In_A_Condition_Assumed;
