--  expect: holds
--  A block waits for its tasks before it is left.
procedure J_Tasks_In_Block is
   Done : Boolean := False;
begin
   for Round in 1 .. 2 loop
      Done := False;
      declare
         task T;
         task body T is
         begin
            Done := True;
         end T;
      begin
         null;
      end;
      pragma Assert (Done);
   end loop;
end J_Tasks_In_Block;
