--  expect: circular-wait, race, tasking-error, dead-entry
--  The guard was false when the select started; setting it later does not help the caller.
procedure Guard_Not_Reopened is
   G : Boolean := False;
   pragma Volatile (G);
   task S is
      entry A;
      entry B;
   end S;
   task body S is
   begin
      select
         when G =>
            accept A;
      or
         accept B;
      end select;
   end S;
begin
   G := True;
   S.A;
   select
      S.B;
   else
      null;
   end select;
end Guard_Not_Reopened;
