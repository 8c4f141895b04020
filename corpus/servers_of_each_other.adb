--  expect: server-idle
--  Two servers that could call each other wait for calls when their client is done: nobody is in a call, so they are idle.
procedure Servers_Of_Each_Other is
   task First is
      entry Ask;
      entry Told;
   end First;
   task Second is
      entry Tell;
   end Second;
   task Client;
   task body First is
   begin
      loop
         select
            accept Ask;
            Second.Tell;
         or
            accept Told;
         end select;
      end loop;
   end First;
   task body Second is
   begin
      loop
         accept Tell;
         select
            First.Told;
         or
            delay 1.0;
         end select;
      end loop;
   end Second;
   task body Client is
   begin
      First.Ask;
   end Client;
begin
   null;
end Servers_Of_Each_Other;
