--  expect: holds
--  Every kind of entry call, starting a task, a suspension object and a subprogram that does one of these may
--  block: in a protected action each raises Program_Error.
pragma Detect_Blocking;
with Ada.Synchronous_Task_Control; use Ada.Synchronous_Task_Control;
procedure Blocking_Conditional_Call is
   task T is entry E; end T;
   task body T is begin select accept E; or terminate; end select; end T;
   task type W;
   task body W is begin null; end W;
   S : Suspension_Object;
   Failures : Integer := 0;
   procedure Call is begin T.E; end Call;
   protected P is
      procedure Conditional;
      procedure Timed;
      procedure Asynchronous;
      procedure Starts;
      procedure Suspends;
      procedure Calls;
   end P;
   protected body P is
      procedure Conditional is begin select T.E; else null; end select; end Conditional;
      procedure Timed is begin select T.E; or delay 1.0; end select; end Timed;
      procedure Asynchronous is begin select T.E; then abort null; end select; end Asynchronous;
      procedure Starts is
         X : W;
      begin
         null;
      end Starts;
      procedure Suspends is begin Suspend_Until_True (S); end Suspends;
      procedure Calls is begin Call; end Calls;
   end P;
begin
   Set_True (S);
   begin P.Conditional; exception when Program_Error => Failures := Failures + 1; end;
   begin P.Timed; exception when Program_Error => Failures := Failures + 1; end;
   begin P.Asynchronous; exception when Program_Error => Failures := Failures + 1; end;
   begin P.Starts; exception when Program_Error => Failures := Failures + 1; end;
   begin P.Suspends; exception when Program_Error => Failures := Failures + 1; end;
   begin P.Calls; exception when Program_Error => Failures := Failures + 1; end;
   if Failures /= 6 then
      raise Constraint_Error;
   end if;
   select T.E; or delay 10.0; end select;
end Blocking_Conditional_Call;
