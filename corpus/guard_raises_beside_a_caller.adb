--  expect: unhandled-exception, tasking-error, dead-entry
--  A caller waits for an alternative that is open; the guard of another one divides by zero all the same.
procedure Guard_Raises_Beside_A_Caller is
   task Server is
      entry Put;
      entry Get;
   end Server;

   task body Server is
      Left : Integer := 1;
   begin
      loop
         select
            accept Put;
            Left := Left - 1;
         or
            when 6 / Left > 1 =>
               accept Get;
         end select;
      end loop;
   end Server;
begin
   Server.Put;
   Server.Put;
end Guard_Raises_Beside_A_Caller;
