--  expect: holds
--  'Callable and 'Terminated of a task.
procedure Callable_Terminated is
   task T is
      entry E;
   end T;
   task body T is
   begin
      accept E;
   end T;
begin
   pragma Assert (T'Callable);
   pragma Assert (not T'Terminated);
   T.E;
   while not T'Terminated loop
      delay 0.01;
   end loop;
   pragma Assert (not T'Callable);
end Callable_Terminated;
