--  expect: holds
--  Out and in out parameters of a rendezvous come back to the caller.
procedure B_Out_Parameters is
   task Server is
      entry Next (X : in out Integer; Done : out Boolean);
   end Server;
   task body Server is
   begin
      for I in 1 .. 2 loop
         accept Next (X : in out Integer; Done : out Boolean) do
            X := X * 2;
            Done := X > 10;
         end Next;
      end loop;
   end Server;
   V : Integer := 3;
   Done : Boolean;
begin
   Server.Next (V, Done);
   pragma Assert (V = 6 and not Done);
   Server.Next (V, Done);
   pragma Assert (V = 12 and Done);
end B_Out_Parameters;
