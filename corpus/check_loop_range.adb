--  expect: tasking-error, unhandled-exception, dead-entry
--  The range of a loop exceeds its subtype.
procedure Check_Loop_Range is
   task Server is entry Go; end Server;
   task body Server is
      First : Integer := 1;
   begin
      First := First - 1;
      for I in Positive range First .. 3 loop null; end loop;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Loop_Range;
