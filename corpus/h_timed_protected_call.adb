--  expect: dead-entry
--  A timed call of a protected entry is withdrawn; its queue is empty then.
procedure H_Timed_Protected_Call is
   protected P is
      entry Wait;
      function Waiting return Integer;
   end P;
   protected body P is
      entry Wait when False is
      begin
         null;
      end Wait;
      function Waiting return Integer is (Wait'Count);
   end P;
begin
   select
      P.Wait;
      pragma Assert (False);
   or
      delay 0.1;
   end select;
   pragma Assert (P.Waiting = 0);
end H_Timed_Protected_Call;
