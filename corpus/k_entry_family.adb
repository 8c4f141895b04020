--  expect: holds
--  An entry family accepted in the order of its index.
procedure K_Entry_Family is
   task Server is
      entry Step (1 .. 3);
   end Server;
   task body Server is
   begin
      for I in 1 .. 3 loop
         accept Step (I);
      end loop;
   end Server;
   task type Client (I : Positive);
   task body Client is
   begin
      Server.Step (I);
   end Client;
   A : Client (3);
   B : Client (1);
   C : Client (2);
begin
   null;
end K_Entry_Family;
