--  expect: holds
--  The functions of the object exclude each other (RM 9.5.1).
procedure exclusive_functions is
   X : Integer := 0;
   protected P with exclusive_functions is
      function F return Integer;
   end P;
   protected body P is
      function F return Integer is begin X := X + 1; return X; end F;
   end P;
   task A; task B;
   task body A is Q : Integer; begin Q := P.F; end A;
   task body B is Q : Integer; begin Q := P.F; end B;
begin null; end exclusive_functions;
