--  A property whose events never happen says nothing, and neither does one that only an end could break
--  where none comes.
--  property: seq_vacuous.qre
--  expect: holds
--  trace: vacuously:
procedure Seq_Vacuous is
   task Server is
      entry Used;
      entry Unused;
   end Server;
   task Client;
   task body Server is
   begin
      loop
         select
            accept Used;
         or
            accept Unused;
         end select;
      end loop;
   end Server;
   task body Client is
   begin
      loop
         Server.Used;
      end loop;
   end Client;
begin
   null;
end Seq_Vacuous;
