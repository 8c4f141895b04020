--  expect: race
--  T1 writes X while T2 reads it: delay.
procedure Race_In_Delay is
   X : Integer := 0;
   
   task T1; task T2;
   task body T1 is begin X := 1; end T1;
   task body T2 is begin delay Duration (X); end T2;
begin
   null;
end Race_In_Delay;
