--  expect: tasking-error, unhandled-exception, dead-entry
--  The bounds of an array exceed its index subtype.
procedure Check_Array_Bounds is
   task Server is entry Go; end Server;
   task body Server is
      type Table is array (Positive range <>) of Integer;
      First : Integer := 1;
   begin
      First := First - 1;
      declare
         T : Table (First .. 3);
      begin
         null;
      end;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Array_Bounds;
