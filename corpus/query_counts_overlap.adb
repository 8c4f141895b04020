--  expect: three
--  property: query_counts_overlap.inca
--  options: --engine ilp
--  A rendezvous that fits two names of a sum counts twice.
procedure Query_Counts_Overlap is
   task S is
      entry E;
   end S;
   task C;
   task D;
   task body S is
   begin
      accept E;
      accept E;
   end S;
   task body C is
   begin
      S.E;
   end C;
   task body D is
   begin
      S.E;
   end D;
begin
   null;
end Query_Counts_Overlap;
