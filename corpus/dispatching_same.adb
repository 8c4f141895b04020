--  expect: holds
procedure Dispatching_Same is
   package Shapes is
      type Shape is tagged record Area : Integer := 0; end record;
      procedure Grow (S : in out Shape; By : Integer);
      function Size (S : Shape) return Integer;
      type Double is new Shape with record Extra : Integer := 1; end record;
      overriding procedure Grow (S : in out Double; By : Integer);
      type Ref is access all Shape'Class;
      procedure Twice (S : in out Shape'Class);
   end Shapes;
   package body Shapes is
      procedure Grow (S : in out Shape; By : Integer) is begin S.Area := S.Area + By; end Grow;
      function Size (S : Shape) return Integer is (S.Area);
      overriding procedure Grow (S : in out Double; By : Integer) is
      begin
         S.Extra := S.Extra + 1;
         S.Area := S.Area + 2 * By;
      end Grow;
      procedure Twice (S : in out Shape'Class) is
      begin
         S.Grow (1);
         S.Grow (1);
      end Twice;
   end Shapes;
   use Shapes;
   One : aliased Shape;
   Two : aliased Double;
   R : Ref;
begin
   R := One'Access;
   R.Grow (3);
   R := Two'Access;
   R.Grow (3);
   Grow (R.all, 1);
   Twice (R.all);
   Twice (One);
   pragma Assert (One.Area = 5);
   pragma Assert (Two.Area = 12);
   pragma Assert (Two.Extra = 5);
   pragma Assert (R.Size = 12);
   pragma Assert (One.Size = 5);
   R := new Double;
   R.Grow (1);
   pragma Assert (R.all.Area = 2);
end Dispatching_Same;
