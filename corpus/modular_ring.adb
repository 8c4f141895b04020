--  expect: holds
--  Modular arithmetic wraps round.
procedure Modular_Ring is
   type Index is mod 3;
   protected Ring is
      procedure Advance;
      function Position return Index;
   private
      I : Index := 0;
   end Ring;
   protected body Ring is
      procedure Advance is
      begin
         I := I + 1;
      end Advance;
      function Position return Index is (I);
   end Ring;
begin
   declare
      task type Worker;
      task body Worker is
      begin
         Ring.Advance;
      end Worker;
      W : array (1 .. 3) of Worker;
   begin
      null;
   end;
   pragma Assert (Ring.Position = 0);
end Modular_Ring;
