--  expect: program-error, dead-entry
--  A select whose alternatives are all closed raises Program_Error.
procedure Hazard_04_All_Guards_Closed is
   task S is
      entry A;
   end S;
   task body S is
      Open : Boolean := False;
   begin
      select
         when Open => accept A;
      end select;
      pragma Assert (False);
   exception
      when Program_Error => null;
   end S;
begin
   null;
end Hazard_04_All_Guards_Closed;
