--  expect: tasking-error, unhandled-exception, dead-entry
--  Null for an object whose subtype excludes it.
procedure Check_Null_Excluded_By_Subtype is
   task Server is entry Go; end Server;
   task body Server is
      type Reference is access all Integer;
      subtype Sure is not null Reference;
      X : aliased Integer := 1;
      R : Reference;
      S : Sure := X'Access;
   begin
      S := R;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Null_Excluded_By_Subtype;
