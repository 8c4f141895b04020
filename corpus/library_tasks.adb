--  expect: holds
--  A library package with a task, whose body needs other packages with bodies: each starts its own tasks.
package Sem is
   protected type Event is
      entry Wait;
      procedure Set;
   private
      F : Boolean := False;
   end Event;
end Sem;

package body Sem is
   protected body Event is
      entry Wait when F is
      begin
         F := False;
      end Wait;
      procedure Set is
      begin
         F := True;
      end Set;
   end Event;
end Sem;

package Lib is
   task T;
   procedure Go;
end Lib;

with Ada.Synchronous_Task_Control; use Ada.Synchronous_Task_Control;
with Sem;
package body Lib is
   S : Suspension_Object;
   E : Sem.Event;
   task body T is
   begin
      Suspend_Until_True (S);
      E.Wait;
   end T;
   procedure Go is
   begin
      Set_True (S);
      E.Set;
   end Go;
end Lib;

with Lib;
procedure Library_Tasks is
begin
   Lib.Go;
end Library_Tasks;
