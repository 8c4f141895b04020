--  expect: circular-wait
--  Locks taken by Initialize and given back by Finalize: the order of the declarations is the
--  order of locking.
with Ada.Finalization;
procedure Scoped_Lock is
   protected type Mutex is
      entry Seize;
      procedure Release;
   private
      Free : Boolean := True;
   end Mutex;
   protected body Mutex is
      entry Seize when Free is begin Free := False; end Seize;
      procedure Release is begin Free := True; end Release;
   end Mutex;
   A, B : aliased Mutex;
   package Locks is
      type Lock (M : access Mutex) is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (L : in out Lock);
      overriding procedure Finalize (L : in out Lock);
   end Locks;
   package body Locks is
      overriding procedure Initialize (L : in out Lock) is
      begin
         L.M.Seize;
      end Initialize;
      overriding procedure Finalize (L : in out Lock) is
      begin
         L.M.Release;
      end Finalize;
   end Locks;
   task One;
   task body One is
   begin
      declare
         L1 : Locks.Lock (A'Access);
         L2 : Locks.Lock (B'Access);
      begin
         null;
      end;
   end One;
   task Two;
   task body Two is
   begin
      declare
         L1 : Locks.Lock (B'Access);
         L2 : Locks.Lock (A'Access);
      begin
         null;
      end;
   end Two;
begin
   null;
end Scoped_Lock;
