--  expect: race
--  At the granularity of statements an increment is one step and cannot be lost.
procedure B_Lost_Update_One_Statement is
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
end B_Lost_Update_One_Statement;
