--  expect: circular-wait, dead-entry
--  A task that calls its own entry waits for itself.
procedure A_Self_Call is
   task T is
      entry E;
   end T;
   task body T is
   begin
      T.E;
      accept E;
   end T;
begin
   null;
end A_Self_Call;
