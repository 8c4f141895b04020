--  expect: mutex
--  property: orders_of_events.qre
--
--  Two tasks that have nothing to do with each other: their events come in any order.
procedure Orders_Of_Events is
   task C1;
   task C2;
   task body C1 is begin
      --@ event in1
      null;
      --@ event out1
      null;
   end C1;
   task body C2 is begin
      --@ event in2
      null;
      --@ event out2
      null;
   end C2;
begin
   null;
end Orders_Of_Events;
