--  expect: never
--  property: test_of_single_reads.qre
--  options: --granularity access
--
--  A condition whose variables are read one after the other looks at each of them.
procedure Test_Of_Single_Reads is
   X : Integer range 0 .. 3 := 0;
   Y : Integer range 0 .. 3 := 0;
   task T;
   task body T is
   begin
      X := 1;
      Y := 1;
   end T;
begin
   if X = 1 and Y = X then
      null;
   end if;
end Test_Of_Single_Reads;
