--  expect: race
--  T1 writes X while T2 reads it: image.
with Ada.Text_IO; use Ada.Text_IO;
procedure Race_In_Image is
   X : Integer := 0;
   
   task T1; task T2;
   task body T1 is begin X := 1; end T1;
   task body T2 is begin Put_Line (X'Image); end T2;
begin
   null;
end Race_In_Image;
