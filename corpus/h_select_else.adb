--  expect: holds
--  A server that polls its entry until it is called.
procedure H_Select_Else is
   task Server is
      entry Stop;
   end Server;
   task body Server is
      Done : Boolean := False;
   begin
      while not Done loop
         select
            accept Stop;
            Done := True;
         else
            null;
         end select;
      end loop;
   end Server;
begin
   Server.Stop;
end H_Select_Else;
