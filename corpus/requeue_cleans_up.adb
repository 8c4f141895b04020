--  expect: holds
--  An entry body that requeues its call is left: what it declared is finalised.
with Ada.Finalization;
procedure Requeue_Cleans_Up is
   Finalized : Integer := 0;
   package Guards is
      type Guard is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Finalize (Object : in out Guard);
   end Guards;
   package body Guards is
      overriding procedure Finalize (Object : in out Guard) is
      begin
         Finalized := Finalized + 1;
      end Finalize;
   end Guards;
   protected P is
      entry First;
      entry Second;
   end P;
   protected body P is
      entry First when True is
         Outer : Guards.Guard;
      begin
         declare
            Inner : Guards.Guard;
         begin
            requeue Second;
         end;
      end First;
      entry Second when True is
      begin
         pragma Assert (Finalized = 2);
      end Second;
   end P;
begin
   P.First;
   pragma Assert (Finalized = 2);
end Requeue_Cleans_Up;
