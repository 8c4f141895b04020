--  expect: race
--  Two threads of a parallel block write one variable; the others are told apart.
procedure Parallel_Block is
   X, Y, Z : Integer := 0;
begin
   parallel do
      X := 1;
      Z := 1;
   and
      Y := 2;
      Z := 2;
   end do;
   pragma Assert (X = 1 and Y = 2);
end Parallel_Block;
