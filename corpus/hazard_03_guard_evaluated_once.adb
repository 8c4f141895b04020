--  expect: race
--  A guard is evaluated when the select starts: that G becomes true later does not open A.
procedure Hazard_03_Guard_Evaluated_Once is
   G : Boolean := False;
   pragma Volatile (G);
   task S is
      entry A;
      entry B;
      entry Started;
   end S;
   task body S is
      Was_Open : Boolean;
   begin
      accept Started;
      Was_Open := G;
      select
         when Was_Open =>
            accept A;
            pragma Assert (Was_Open);
            accept B;
      or
         accept B;
         accept A;
      end select;
   end S;
   task C;
   task body C is
   begin
      G := True;
      S.A;
   end C;
begin
   S.Started;
   S.B;
end Hazard_03_Guard_Evaluated_Once;
