--  Without fairness a server may never come to its accept statement.
--  property: fair_arrival.qre
--  options: --fair none
--  expect: once, again
procedure Fair_Arrival_None is
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
end Fair_Arrival_None;
