--  expect: unhandled-exception
--  A handler that raises again: the exception goes on and kills the task.
procedure K_Reraise is
   Bad : exception;
   task T;
   task body T is
   begin
      begin
         raise Bad;
      exception
         when others => raise;
      end;
   end T;
begin
   null;
end K_Reraise;
