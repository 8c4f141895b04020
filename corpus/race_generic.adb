--  expect: race
--  The actual for a formal object of mode in is read once, where the instance is.
procedure Race_Generic is
   X : Integer := 0;
   Y : Integer;
   generic
      N : Integer;
   function Twice return Integer;
   function Twice return Integer is (2 * N);
   task T1;
   task T2;
   task body T1 is
   begin
      X := 1;
   end T1;
   task body T2 is
      function F is new Twice (X);
   begin
      Y := F;
   end T2;
begin
   null;
end Race_Generic;
