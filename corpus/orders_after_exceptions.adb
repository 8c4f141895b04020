--  expect: mutex
--  property: orders_after_exceptions.qre
--  options: --engine reach
--
--  Events behind two rendezvous that raise an exception each.
procedure Orders_After_Exceptions is
   Bad : exception;
   task S1 is entry Go; end S1;
   task S2 is entry Go; end S2;
   task C1;
   task C2;
   task body S1 is begin
      accept Go do raise Bad; end Go;
   exception when Bad => null;
   end S1;
   task body S2 is begin
      accept Go do raise Bad; end Go;
   exception when Bad => null;
   end S2;
   task body C1 is begin
      S1.Go;
   exception when Bad =>
      --@ event in1
      null;
      --@ event out1
      null;
   end C1;
   task body C2 is begin
      S2.Go;
   exception when Bad =>
      --@ event in2
      null;
      --@ event out2
      null;
   end C2;
begin
   null;
end Orders_After_Exceptions;
