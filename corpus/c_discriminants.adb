--  expect: holds
--  Discriminants tell instances of a task type apart.
procedure C_Discriminants is
   task Server is
      entry Put (Id : Integer);
   end Server;
   task body Server is
      Sum : Integer := 0;
   begin
      for I in 1 .. 3 loop
         accept Put (Id : Integer) do
            Sum := Sum + Id;
         end Put;
      end loop;
      pragma Assert (Sum = 111);
   end Server;
   task type Client (Id : Integer; Twice : Boolean);
   task body Client is
   begin
      Server.Put (Id);
      if Twice then
         Server.Put (Id * 10);
      end if;
   end Client;
   A : Client (1, True);
   B : Client (Twice => False, Id => 100);
begin
   null;
end C_Discriminants;
