--  expect: holds
--  A vector inside a protected object, one behind a lock, and one for each task.
with Ada.Containers.Vectors;
procedure Container_Guarded is
   package Lists is new Ada.Containers.Vectors (Positive, Integer);
   protected Store is
      procedure Put (X : Integer);
   private
      L : Lists.Vector;
   end Store;
   protected body Store is
      procedure Put (X : Integer) is
      begin
         L.Append (X);
      end Put;
   end Store;
   protected Lock is
      entry Seize;
      procedure Release;
   private
      Free : Boolean := True;
   end Lock;
   protected body Lock is
      entry Seize when Free is
      begin
         Free := False;
      end Seize;
      procedure Release is
      begin
         Free := True;
      end Release;
   end Lock;
   Shared : Lists.Vector;
   procedure Add (To : in out Lists.Vector; X : Integer) is
   begin
      Lock.Seize;
      To.Append (X);
      Lists.Append (To, X);
      Lock.Release;
   end Add;
   task type Worker (Id : Integer);
   task body Worker is
      Mine : Lists.Vector;
   begin
      Mine.Append (Id);
      Store.Put (Id);
      Add (Shared, Id);
   end Worker;
   A : Worker (1);
   B : Worker (2);
begin
   null;
end Container_Guarded;
