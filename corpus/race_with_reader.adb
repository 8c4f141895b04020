--  expect: race
--  Two tasks access one object, one writes.
with Ada.Text_IO; use Ada.Text_IO; with Ada.Integer_Text_IO; use Ada.Integer_Text_IO;
procedure Race_With_Reader is
   X : Integer := 0; 
   task A; task B;
   task body A is begin X := 1; end A;
   task body B is Y : Integer := 0; S : String (1 .. 3) := "abc"; F : Float := 0.0; begin Put_Line (Integer'Image (X)); end B;
begin null; end Race_With_Reader;
