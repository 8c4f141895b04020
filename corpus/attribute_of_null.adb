--  expect: unhandled-exception, tasking-error, dead-entry
--  An attribute of what a null access value designates.
procedure Attribute_Of_Null is
   type Table is array (Positive range <>) of Integer;
   type Reference is access Table;
   task Server is entry Go; end Server;
   task body Server is
      T : Reference;
   begin
      for I in T'Range loop
         null;
      end loop;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Attribute_Of_Null;
