--  expect: tasking-error, dead-entry
--  conformance: no interrupt comes
--  trace: interrupts that are handled come at any time
--  The hardware calls an entry; then the worker is gone, and its client fails.
with System.Storage_Elements;
procedure Interrupt_Entry is
   task Handler is
      entry Kill;
      entry Stop_Me;
      for Kill use at System.Storage_Elements.To_Address (16#2#);
   end Handler;
   task Worker is
      entry Work;
      entry Shutdown;
   end Worker;
   task Client;
   task body Handler is
   begin
      accept Kill;
      Worker.Shutdown;
   end Handler;
   task body Worker is
   begin
      loop
         select
            accept Work;
         or
            accept Shutdown;
            exit;
         end select;
      end loop;
   end Worker;
   task body Client is
   begin
      loop
         Worker.Work;
      end loop;
   end Client;
begin
   null;
end Interrupt_Entry;
