--  expect: server-idle
--  A conditional call that is not accepted at once takes the else part; the server then waits
--  for a second call that may or may not come.
procedure Hazard_11_Conditional_Call is
   Taken : Boolean := False;
   task S is
      entry A;
   end S;
   task body S is
   begin
      accept A;
      accept A;
   end S;
begin
   select
      S.A;
      Taken := True;
   else
      null;
   end select;
   if not Taken then
      S.A;
      S.A;
   end if;
end Hazard_11_Conditional_Call;
