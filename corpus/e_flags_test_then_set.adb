--  expect: race, assertion
--  Test, then set: both may find the other's flag down.
procedure E_Flags_Test_Then_Set is
   Busy : Boolean := False;
   pragma Volatile (Busy);
   Inside : Integer := 0;
   pragma Volatile (Inside);
   task type Process;
   task body Process is
   begin
      while Busy loop
         null;
      end loop;
      Busy := True;
      Inside := Inside + 1;
      pragma Assert (Inside = 1);
      Inside := Inside - 1;
      Busy := False;
   end Process;
   A, B : Process;
begin
   null;
end E_Flags_Test_Then_Set;
