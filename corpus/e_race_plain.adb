--  expect: race
--  trace: while B writes it
--  Two tasks write a plain variable.
procedure E_Race_Plain is
   X : Integer := 0;
   task A;
   task body A is
   begin
      X := 1;
   end A;
   task B;
   task body B is
   begin
      X := 2;
   end B;
begin
   null;
end E_Race_Plain;
