--  A step carries every name that fits it, in whatever order the names are declared.
--  property: seq_overlap.qre
--  expect: mine_1, mine_2, twice_1, twice_2, one_1, one_2, first, query_1, query_2
--  trace: any & mine
procedure Seq_Overlap is
   task S0 is
      entry E0;
      entry E1;
   end S0;
   task C0;
   task C1;
   task body S0 is
   begin
      loop
         accept E1;
         select
            accept E1;
            accept E0;
         or
            accept E0;
         end select;
      end loop;
   end S0;
   task body C0 is
   begin
      S0.E1;
      S0.E0;
   end C0;
   task body C1 is
   begin
      S0.E1;
   end C1;
begin
   null;
end Seq_Overlap;
