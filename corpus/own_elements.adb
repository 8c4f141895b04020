--  expect: holds
--  Elements and components with known names are different objects, also where they are not followed.
procedure Own_Elements is
   type Point is record
      X, Y : Float;
   end record;
   type Vector is array (1 .. 4) of Float;
   P : Point;
   V : Vector;
   W : array (1 .. 4) of Integer := (others => 0);
   task T1;
   task T2;
   task body T1 is
   begin
      P.X := 1.0;
      V (1) := P.X;
      V (2) := V (1) + 1.0;
      W (1 .. 2) := (7, 8);
   end T1;
   task body T2 is
   begin
      P.Y := 2.0;
      for I in 3 .. 4 loop
         V (I) := P.Y;
      end loop;
      W (3 .. 4) := W (3 .. 4);
   end T2;
begin
   null;
end Own_Elements;
