--  expect: race, assertion
--  Without protection an increment can be lost.
procedure B_Lost_Update is
   N : Integer := 0;
begin
   declare
      task type Worker;
      task body Worker is
         Copy : Integer;
      begin
         Copy := N;
         N := Copy + 1;
      end Worker;
      A, B : Worker;
   begin
      null;
   end;
   pragma Assert (N = 2);
end B_Lost_Update;
