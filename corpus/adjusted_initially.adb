--  expect: client-blocked, dead-entry
--  An object that is initialised by another one is adjusted, and so is an allocated one.
with Ada.Finalization;
procedure Adjusted_Initially is
   protected Gate is
      entry Wait;
      procedure Count;
   private
      N : Natural := 0;
   end Gate;
   protected body Gate is
      entry Wait when N /= 2 is begin null; end Wait;
      procedure Count is begin N := N + 1; end Count;
   end Gate;
   package Things is
      type Thing is new Ada.Finalization.Controlled with null record;
      procedure Adjust (T : in out Thing);
      type Reference is access Thing;
   end Things;
   package body Things is
      procedure Adjust (T : in out Thing) is begin Gate.Count; end Adjust;
   end Things;
   A : Things.Thing;
begin
   declare
      B : constant Things.Thing := A;
      C : Things.Reference := new Things.Thing'(B);
   begin
      Gate.Wait;
   end;
end Adjusted_Initially;
