--  expect: dead-entry
--  What the first guard says is not known; whoever calls the second entry is served in any case.
with Ada.Text_IO;
procedure Guard_Unknown_Beside_A_Caller is
   task Server is
      entry Put;
      entry Get;
   end Server;

   task body Server is
      Wanted : Boolean := Ada.Text_IO.End_Of_File;
      Open   : Boolean := True;
   begin
      for Round in 1 .. 2 loop
         select
            when Wanted =>
               accept Put;
         or
            when Open =>
               accept Get do
                  Open := not Open;
               end Get;
               Wanted := Ada.Text_IO.End_Of_File;
               Open := True;
         end select;
      end loop;
   end Server;
begin
   Server.Get;
   Server.Get;
end Guard_Unknown_Beside_A_Caller;
