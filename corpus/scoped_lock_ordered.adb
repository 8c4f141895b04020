--  expect: holds
--  Finalize gives the lock back on every way out: the end, a return, an exception, an abort.
with Ada.Finalization;
procedure Scoped_Lock_Ordered is
   protected Mutex is
      entry Seize;
      procedure Release;
      function Taken return Boolean;
   private
      Free : Boolean := True;
   end Mutex;
   protected body Mutex is
      entry Seize when Free is begin Free := False; end Seize;
      procedure Release is begin Free := True; end Release;
      function Taken return Boolean is (not Free);
   end Mutex;
   package Locks is
      type Lock is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (L : in out Lock);
      overriding procedure Finalize (L : in out Lock);
   end Locks;
   package body Locks is
      overriding procedure Initialize (L : in out Lock) is
      begin
         Mutex.Seize;
      end Initialize;
      overriding procedure Finalize (L : in out Lock) is
      begin
         Mutex.Release;
      end Finalize;
   end Locks;
   procedure Work (How : Integer) is
      L : Locks.Lock;
   begin
      pragma Assert (Mutex.Taken);
      case How is
         when 1 => return;
         when 2 => raise Constraint_Error;
         when others => null;
      end case;
   end Work;
   task type Worker (How : Integer);
   task body Worker is
   begin
      Work (How);
   exception
      when Constraint_Error => null;
   end Worker;
   A : Worker (1);
   B : Worker (2);
   C : Worker (3);
   task Victim;
   task body Victim is
      L : Locks.Lock;
   begin
      delay 10.0;
   end Victim;
begin
   abort Victim;
end Scoped_Lock_Ordered;
