--  expect: race
--  A loop over the elements of a container reads the container.
with Ada.Containers.Vectors;
procedure Race_Of_Elements is
   package Vectors is new Ada.Containers.Vectors (Positive, Integer);
   V : Vectors.Vector;
   task Reader;
   task Writer;
   task body Reader is
   begin
      for E of V loop
         null;
      end loop;
   end Reader;
   task body Writer is
   begin
      V.Clear;
   end Writer;
begin
   null;
end Race_Of_Elements;
