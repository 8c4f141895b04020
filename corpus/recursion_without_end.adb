--  expect: holds
--  trace: some executions meet a bound
--  Recursion that never ends is followed to the stated bound, and the verdict says so.
procedure Recursion_Without_End is
   procedure Down (N : Integer) is
   begin
      delay 0.1;
      Down ((N + 1) mod 2);
   end Down;
   task T;
   task body T is
   begin
      Down (0);
   end T;
begin
   null;
end Recursion_Without_End;
