--  expect: p2
--  property: orders_of_entries.qre
--  options: --engine reach
--
--  Two rendezvous that have nothing to do with each other, one of them behind a look at a queue.
procedure Orders_Of_Entries is
   task S0 is entry E; entry F; end S0;
   task S1 is entry E; end S1;
   task C0;
   task C1;
   task D0;
   task body S0 is
   begin
      if F'Count > 2 then
         accept E;
      else
         accept F;
         accept F;
         accept E;
      end if;
   end S0;
   task body S1 is begin accept E; end S1;
   task body C0 is begin S0.E; end C0;
   task body D0 is begin S0.F; S0.F; end D0;
   task body C1 is begin S1.E; end C1;
begin
   null;
end Orders_Of_Entries;
