--  expect: holds
--  Library packages with a task, a protected object and subprograms; several units in one file.
package F_Store is
   procedure Put (X : Integer);
   function Get return Integer;
end F_Store;

package body F_Store is
   protected Cell is
      procedure Set (X : Integer);
      function Value return Integer;
   private
      V : Integer := 0;
   end Cell;
   protected body Cell is
      procedure Set (X : Integer) is
      begin
         V := X;
      end Set;
      function Value return Integer is
      begin
         return V;
      end Value;
   end Cell;
   procedure Put (X : Integer) is
   begin
      Cell.Set (X);
   end Put;
   function Get return Integer is
   begin
      return Cell.Value;
   end Get;
end F_Store;

package F_Server is
   task Worker is
      entry Start;
      entry Stop;
   end Worker;
end F_Server;

with F_Store;
package body F_Server is
   task body Worker is
   begin
      accept Start;
      F_Store.Put (42);
      accept Stop;
   end Worker;
end F_Server;

with F_Store, F_Server;
use F_Server;
procedure F_Packages is
begin
   Worker.Start;
   Worker.Stop;
   pragma Assert (F_Store.Get = 42);
end F_Packages;
