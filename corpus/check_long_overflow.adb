--  expect: tasking-error?, unhandled-exception?
--  options: --checks may-fail
--  A sum beyond the largest numbers: not followed, but listed, and possible.
procedure Check_Long_Overflow is
   task Server is entry Go; end Server;
   task body Server is
      X : Long_Integer := Long_Integer'Last;
   begin
      X := X + 1;
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Long_Overflow;
