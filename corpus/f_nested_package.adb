--  expect: holds
--  A package inside a procedure, with private types and a use clause.
procedure F_Nested_Package is
   package Locks is
      type Lock is limited private;
      procedure Acquire (L : in out Lock);
      procedure Release (L : in out Lock);
   private
      protected type Mutex is
         entry Seize;
         procedure Free;
      private
         Held : Boolean := False;
      end Mutex;
      type Lock is limited record
         M : Mutex;
      end record;
   end Locks;
   package body Locks is
      protected body Mutex is
         entry Seize when not Held is
         begin
            Held := True;
         end Seize;
         procedure Free is
         begin
            Held := False;
         end Free;
      end Mutex;
      procedure Acquire (L : in out Lock) is
      begin
         L.M.Seize;
      end Acquire;
      procedure Release (L : in out Lock) is
      begin
         L.M.Free;
      end Release;
   end Locks;
   use Locks;
   L : Lock;
   N : Integer := 0;
   task type Worker;
   task body Worker is
   begin
      Acquire (L);
      N := N + 1;
      Release (L);
   end Worker;
   A, B : Worker;
begin
   null;
end F_Nested_Package;
