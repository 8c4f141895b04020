--  expect: holds
--  Values go into an accept body.
procedure A_Parameters_In is
   task Server is
      entry Add (X, Y : Integer);
   end Server;
   task body Server is
   begin
      accept Add (X, Y : Integer) do
         pragma Assert (X + Y = 7);
      end Add;
   end Server;
begin
   Server.Add (3, Y => 4);
end A_Parameters_In;
