--  expect: client-blocked ; the arguments of a call are evaluated in any order (RM 6.4)
procedure argument_order is
   -- order of evaluation
   G : Integer := 0;
   task S is entry A; entry B; end S;
   task body S is begin accept A; accept B; end S;
   function F1 return Integer is begin S.A; return 1; end F1;
   function F2 return Integer is begin S.B; return 1; end F2;
   procedure P (X, Y : Integer) is begin G := X + Y; end P;
begin
   P (F1, F2);
end argument_order;
