--  expect: unhandled-exception, tasking-error, dead-entry
--  A name for the result of a function calls it, once, where it is declared.
procedure Renamed_Result is
   Calls : Natural := 0;
   function Next return Positive is
   begin
      Calls := Calls + 1;
      return 2 - Calls;
   end Next;
   First : Integer renames Next;
   task Server is entry Go; end Server;
   task body Server is
      Second : Integer renames Next;
   begin
      accept Go;
   end Server;
begin
   if First = 1 and First = 1 then
      Server.Go;
   end if;
exception
   when Tasking_Error => null;
end Renamed_Result;
