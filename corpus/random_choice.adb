--  expect: server-idle
--  A random number decides whether the server is called: both ways are possible.
with Ada.Numerics.Discrete_Random;
procedure Random_Choice is
   package Coins is new Ada.Numerics.Discrete_Random (Boolean);
   G : Coins.Generator;
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
   end Server;
begin
   Coins.Reset (G);
   if Coins.Random (G) then
      Server.Work;
   end if;
end Random_Choice;
