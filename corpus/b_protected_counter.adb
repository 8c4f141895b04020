--  expect: holds
--  Increments under a protected object are not lost.
procedure B_Protected_Counter is
   protected Counter is
      procedure Increment;
      function Value return Integer;
   private
      N : Integer := 0;
   end Counter;
   protected body Counter is
      procedure Increment is
      begin
         N := N + 1;
      end Increment;
      function Value return Integer is
      begin
         return N;
      end Value;
   end Counter;
begin
   declare
      task type Worker;
      task body Worker is
      begin
         Counter.Increment;
         Counter.Increment;
      end Worker;
      A, B : Worker;
   begin
      null;
   end;
   pragma Assert (Counter.Value = 4);
end B_Protected_Counter;
