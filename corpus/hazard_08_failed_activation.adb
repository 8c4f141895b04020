--  expect: tasking-error, unhandled-exception
--  An exception in the declarations of a task: its activator gets Tasking_Error.
procedure Hazard_08_Failed_Activation is
   Zero : Integer := 0;
begin
   declare
      task S;
      task body S is
         X : Integer := 1 / Zero;
      begin
         X := X + 1;
      end S;
   begin
      pragma Assert (False);
   end;
exception
   when Tasking_Error => null;
end Hazard_08_Failed_Activation;
