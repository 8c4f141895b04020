--  expect: tasking-error, unhandled-exception, dead-entry
--  What a null access value designates is passed by reference.
procedure Check_Null_Of_Class is
   task Server is entry Go; end Server;
   task body Server is
      type T is tagged null record;
      type Reference is access T'Class;
      R : Reference;
      procedure Take (X : T'Class) is begin null; end Take;
   begin
      Take (R.all);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Null_Of_Class;
