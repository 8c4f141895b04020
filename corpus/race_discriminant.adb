--  expect: race
--  An access discriminant: both tasks write what it designates.
procedure Race_Discriminant is
   X : aliased Integer := 0;
   task type T (P : access Integer);
   task body T is
   begin
      P.all := P.all + 1;
   end T;
   T1 : T (X'Access);
   T2 : T (X'Access);
begin
   null;
end Race_Discriminant;
