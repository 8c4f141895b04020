--  expect: assertion?, circular-wait?, client-blocked?, dead-entry?, program-error?, race?, server-idle?, spin?, tasking-error?, unhandled-exception?
--  trace: an execution meets a bound: at most 3 tasks are created by the allocator here
--  The fourth task is beyond a bound: nothing is known of it.
procedure Bound_Met is
   task type Signal (N : Integer);
   task Server is
      entry Never;
   end Server;
   task body Server is
   begin
      select
         when False => accept Never;
      or
         terminate;
      end select;
   end Server;
   task body Signal is
   begin
      if N = 4 then
         Server.Never;            --  the fourth one blocks for ever
      end if;
   end Signal;
   S : access Signal;
   P : Integer := 0;
begin
   while P < 40 loop
      if P mod 10 = 9 then
         S := new Signal (P / 10 + 1);
      end if;
      P := P + 1;
   end loop;
end Bound_Met;
