--  expect: tasking-error, unhandled-exception
--  A server dies of an exception between two rendezvous; its next caller gets Tasking_Error.
procedure K_Exception_Kills_Server is
   task Server is
      entry Work (X : Integer);
   end Server;
   task body Server is
      Sum : Integer range 0 .. 5 := 0;
   begin
      loop
         accept Work (X : Integer) do
            Sum := X;
         end Work;
         Sum := Sum + 3;
      end loop;
   end Server;
begin
   Server.Work (1);
   Server.Work (4);
   Server.Work (1);
exception
   when Tasking_Error => null;
end K_Exception_Kills_Server;
