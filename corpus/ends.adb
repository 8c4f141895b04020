--  expect: holds
with Ada.Task_Termination; use Ada.Task_Termination;
with Ada.Task_Identification; use Ada.Task_Identification;
with Ada.Exceptions;
procedure Ends is
   protected Grave is
      procedure Died (Cause : Cause_Of_Termination; T : Task_Id; X : Ada.Exceptions.Exception_Occurrence);
      entry Wait;
   private
      Dead : Boolean := False;
   end Grave;
   protected body Grave is
      procedure Died (Cause : Cause_Of_Termination; T : Task_Id; X : Ada.Exceptions.Exception_Occurrence) is
      begin
         Dead := True;
      end Died;
      entry Wait when Dead is begin null; end Wait;
   end Grave;
begin
   Set_Dependents_Fallback_Handler (Grave.Died'Unrestricted_Access);
   declare
      task Mayfly;
      task body Mayfly is begin null; end Mayfly;
   begin
      null;
   end;
   Grave.Wait;
end Ends;
