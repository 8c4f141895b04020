--  expect: mutex
--  property: orders_of_writes.qre
--
--  The same with writes to variables of their own.
procedure Orders_Of_Writes is
   X, Y : Integer range 0 .. 3 := 0;
   task C1;
   task C2;
   task body C1 is begin
      X := 1;
      X := 2;
   end C1;
   task body C2 is begin
      Y := 1;
      Y := 2;
   end C2;
begin
   null;
end Orders_Of_Writes;
