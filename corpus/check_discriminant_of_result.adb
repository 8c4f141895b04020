--  expect: tasking-error, unhandled-exception, dead-entry
--  A function returns a record with another discriminant.
procedure Check_Discriminant_Of_Result is
   task Server is entry Go; end Server;
   task body Server is
      type R (D : Boolean) is record null; end record;
      function Other return R is (D => False);
      V : R (True);
   begin
      V := Other;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Discriminant_Of_Result;
