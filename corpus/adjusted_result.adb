--  expect: client-blocked?, dead-entry
--  What a function returns may be made in place, or copied and adjusted.
with Ada.Finalization;
procedure Adjusted_Result is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   package Things is
      type Thing is new Ada.Finalization.Controlled with null record;
      procedure Adjust (T : in out Thing);
   end Things;
   package body Things is
      procedure Adjust (T : in out Thing) is begin Gate.Wait; end Adjust;
   end Things;
   A : Things.Thing;
   function Copy return Things.Thing is begin return A; end Copy;
begin
   declare
      B : Things.Thing := Copy;
   begin
      null;
   end;
end Adjusted_Result;
