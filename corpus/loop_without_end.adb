--  expect: client-blocked, dead-entry
--  A loop that only computes need not end: what stands behind it is never reached.
procedure Loop_Without_End is
   task T is
      entry E;
   end T;
   task body T is
      N : Integer := 1;
   begin
      loop
         N := (N + 2) mod 6;
         exit when N = 0;
      end loop;
      accept E;
   end T;
begin
   T.E;
end Loop_Without_End;
