--  expect: race
--  An image is put into a string: the string is written, not read.
with Ada.Integer_Text_IO;
procedure Put_Into_String is
   S : String (1 .. 10) := (others => ' ');
   task A;
   task B;
   task body A is begin Ada.Integer_Text_IO.Put (S, 1); end A;
   task body B is begin Ada.Integer_Text_IO.Put (To => S, Item => 2); end B;
begin
   null;
end Put_Into_String;
