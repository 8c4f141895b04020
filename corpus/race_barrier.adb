--  expect: race
--  Who calls an entry evaluates its barrier, which reads a global variable.
procedure Race_Barrier is
   Ready : Integer := 0;
   protected P is
      entry E;
   end P;
   protected body P is
      entry E when Ready >= 0 is
      begin
         null;
      end E;
   end P;
   task T1;
   task T2;
   task body T1 is
   begin
      Ready := 1;
   end T1;
   task body T2 is
   begin
      P.E;
   end T2;
begin
   null;
end Race_Barrier;
