--  expect: race
--  Variables that decide nothing still race; Put_Line reads one.
with Ada.Text_IO; use Ada.Text_IO;
procedure Race_On_Dead_Variable is
   N : Integer := 0;
   task T1; task T2;
   task body T1 is begin for I in 1 .. 10 loop N := N + 1; end loop; end T1;
   task body T2 is begin Put_Line (Integer'Image (N)); end T2;
begin
   null;
end Race_On_Dead_Variable;
