--  expect: holds
with Ada.Synchronous_Barriers; use Ada.Synchronous_Barriers;
procedure Barrier is
   B : Synchronous_Barrier (3);
   protected Tally is
      procedure Add;
      function Total return Natural;
   private
      N : Natural := 0;
   end Tally;
   protected body Tally is
      procedure Add is begin N := N + 1; end Add;
      function Total return Natural is (N);
   end Tally;
   task type Worker;
   task body Worker is
      First : Boolean;
   begin
      Wait_For_Release (B, First);
      if First then
         Tally.Add;
      end if;
      Wait_For_Release (B, First);
      pragma Assert (Tally.Total = 1);
   end Worker;
   W : array (1 .. 3) of Worker;
begin
   null;
end Barrier;
