--  expect: holds
--  An abort waits until the outermost Initialize is over, however deep the calls of others are nested in it.
with Ada.Finalization;
procedure Abort_Deferred_Deeply is
   X, Y : Integer := 0;
   pragma Volatile (X);
   pragma Volatile (Y);
   package Levels is
      type One is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (Object : in out One);
      type Two is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (Object : in out Two);
      type Three is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (Object : in out Three);
      type Four is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (Object : in out Four);
   end Levels;
   package body Levels is
      overriding procedure Initialize (Object : in out Four) is
      begin
         null;
      end Initialize;
      overriding procedure Initialize (Object : in out Three) is
         Inner : Four;
      begin
         null;
      end Initialize;
      overriding procedure Initialize (Object : in out Two) is
         Inner : Three;
      begin
         null;
      end Initialize;
      overriding procedure Initialize (Object : in out One) is
      begin
         declare
            Inner : Two;
         begin
            X := 1;
         end;
         Y := 1;
      end Initialize;
   end Levels;
begin
   declare
      task Victim;
      task body Victim is
      begin
         declare
            Object : Levels.One;
         begin
            null;
         end;
      end Victim;
   begin
      abort Victim;
   end;
   pragma Assert (X = Y);
end Abort_Deferred_Deeply;
