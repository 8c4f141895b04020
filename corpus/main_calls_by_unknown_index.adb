--  Both calls of the main program may be of the same server, which accepts one; the other server is never called.
--  expect: client-blocked, server-idle
with Ada.Numerics.Discrete_Random;
procedure Main_Calls_By_Unknown_Index is
   subtype Number is Integer range 1 .. 2;
   package Numbers is new Ada.Numerics.Discrete_Random (Number);
   G : Numbers.Generator;
   task type Server is
      entry Start;
   end Server;
   task body Server is
   begin
      accept Start;
      loop
         delay 1.0;
      end loop;
   end Server;
   Servers : array (Number) of Server;
begin
   Servers (Numbers.Random (G)).Start;
   Servers (Numbers.Random (G)).Start;
end Main_Calls_By_Unknown_Index;
