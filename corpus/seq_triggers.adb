--  What is vacuous and what is not: there is code for Reset, but its call is never reached.
--  property: seq_triggers.qre
--  expect: holds
--  trace: reset never happens, and every execution without it satisfies this
procedure Seq_Triggers is
   task Server is
      entry Work;
      entry Reset;
   end Server;
   X : Integer := 0;
   task body Server is
   begin
      loop
         select
            accept Work;
         or
            accept Reset;
         or
            terminate;
         end select;
      end loop;
   end Server;
begin
   Server.Work;
   if X = 1 then
      Server.Reset;
   end if;
   Server.Work;
end Seq_Triggers;
