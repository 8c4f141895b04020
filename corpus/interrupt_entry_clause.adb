--  expect: holds
--  conformance: no interrupt comes
--  An interrupt entry by attribute: the task waits for nobody else.
with System;
with System.Storage_Elements;
procedure Interrupt_Entry_Clause is
   task Handler is
      entry Kill;
      for Kill'Address use System.Storage_Elements.To_Address (16#2#);
   end Handler;
   task body Handler is
   begin
      loop
         select
            accept Kill;
            exit;
         else
            delay 1.0;
         end select;
      end loop;
   end Handler;
begin
   null;
end Interrupt_Entry_Clause;
