--  expect: race
--  A string as a whole, read in a concatenation; a file of one's own is read only.
with Ada.Text_IO;
procedure Race_String is
   S : String (1 .. 3) := "abc";
   task T1;
   task T2;
   task body T1 is
   begin
      S := "xyz";
   end T1;
   task body T2 is
   begin
      Ada.Text_IO.Put_Line ("<" & S & ">");
   end T2;
begin
   null;
end Race_String;
