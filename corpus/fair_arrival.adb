--  To come to an accept statement is a step: a server that can do so does, and is then found by a conditional call.
--  property: fair_arrival.qre
--  expect: holds
procedure Fair_Arrival is
   task Server is
      entry Ask;
   end Server;
   task Asker;
   task body Server is
   begin
      loop
         accept Ask;
      end loop;
   end Server;
   task body Asker is
   begin
      loop
         select
            Server.Ask;
         else
            null;
         end select;
         --@ event asked
         null;
      end loop;
   end Asker;
begin
   null;
end Fair_Arrival;
