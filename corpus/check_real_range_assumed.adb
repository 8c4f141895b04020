--  expect: holds
--  trace: 1 check on values that are not followed
--  That a real number fits its subtype is listed.
procedure Check_Real_Range_Assumed is
   task Server is entry Go; end Server;
   task body Server is
      subtype Unit is Float range 0.0 .. 1.0;
      U : Unit;
      X : Float := 5.0;
   begin
      U := X;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Real_Range_Assumed;
