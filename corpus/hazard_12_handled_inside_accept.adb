--  expect: holds
--  An exception that is handled inside the accept body reaches nobody else.
procedure Hazard_12_Handled_Inside_Accept is
   task S is
      entry A;
   end S;
   task body S is
   begin
      accept A do
         begin
            raise Program_Error;
         exception
            when others => null;
         end;
      end A;
   end S;
begin
   S.A;
end Hazard_12_Handled_Inside_Accept;
