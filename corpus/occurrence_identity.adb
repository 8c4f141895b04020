--  expect: client-blocked, dead-entry
--  The identity of what was caught is raised: its own handler runs, no other. No identity is an error.
with Ada.Exceptions; use Ada.Exceptions;
procedure Occurrence_Identity is
   Mine, Other : exception;
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
begin
   begin
      raise Mine;
   exception
      when What : others => Raise_Exception (Exception_Identity (What), "again");
   end;
exception
   when Other => null;
   when Mine =>
      Reraise_Occurrence (Null_Occurrence);
      begin
         Raise_Exception (Null_Id);
      exception
         when Constraint_Error => Gate.Wait;
      end;
end Occurrence_Identity;
