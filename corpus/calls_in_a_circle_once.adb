--  expect: circular-wait, dead-entry
--  Each calls the other once: the call is accepted, but its body calls back.
procedure Calls_In_A_Circle_Once is
   task T1 is
      entry B (N : in out Integer);
   end T1;

   task T2 is
      entry A;
   end T2;

   task body T1 is
   begin
      accept B (N : in out Integer) do
         T2.A;
         N := N + 1;
      end B;
   end T1;

   task body T2 is
      L : Integer := 0;
   begin
      T1.B (L);
   end T2;
begin
   null;
end Calls_In_A_Circle_Once;
