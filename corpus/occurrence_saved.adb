--  expect: client-blocked?, unhandled-exception?, dead-entry
--  Nobody knows what was saved: any handler may be taken.
with Ada.Exceptions; use Ada.Exceptions;
procedure Occurrence_Saved is
   Mine : exception;
   Saved : Exception_Occurrence;
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
begin
   begin
      raise Mine;
   exception
      when What : Mine => Save_Occurrence (Saved, What);
   end;
   Reraise_Occurrence (Saved);
exception
   when Mine => Gate.Wait;
end Occurrence_Saved;
