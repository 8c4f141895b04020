--  expect: race
--  A call of the library changes the object before the dot.
with Ada.Containers.Vectors;
procedure Race_Container is
   package Lists is new Ada.Containers.Vectors (Positive, Integer);
   L : Lists.Vector;
   task T1;
   task T2;
   task body T1 is
   begin
      L.Append (1);
   end T1;
   task body T2 is
   begin
      L.Append (2);
   end T2;
begin
   null;
end Race_Container;
