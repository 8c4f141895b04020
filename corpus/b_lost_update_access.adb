--  expect: race, assertion
--  options: --granularity access
--  At the granularity of single reads and writes it can.
procedure B_Lost_Update_Access is
   N : Integer := 0;
begin
   declare
      task type Worker;
      task body Worker is
      begin
         N := N + 1;
      end Worker;
      A, B : Worker;
   begin
      null;
   end;
   pragma Assert (N = 2);
end B_Lost_Update_Access;
