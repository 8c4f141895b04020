--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  An index that makes references is not followed.
procedure Indexing_Reference is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   package Tables is
      type Reference (To : not null access Integer) is limited null record with Implicit_Dereference => To;
      type Table is tagged limited record A : aliased Integer; end record with Variable_Indexing => Element;
      function Element (T : aliased in out Table; I : Integer) return Reference;
   end Tables;
   package body Tables is
      function Element (T : aliased in out Table; I : Integer) return Reference is
      begin
         Gate.Wait;
         return Reference'(To => T.A'Unchecked_Access);
      end Element;
   end Tables;
   T : aliased Tables.Table;
begin
   T (1) := 2;
end Indexing_Reference;
