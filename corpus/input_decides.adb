--  expect: server-idle
--  Input may have any value.
with Ada.Integer_Text_IO;
procedure Input_Decides is
   N : Integer range 0 .. 3;
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
   end Server;
begin
   Ada.Integer_Text_IO.Get (N);
   if N > 1 then
      Server.Work;
   end if;
end Input_Decides;
