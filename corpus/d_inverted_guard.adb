--  expect: circular-wait, dead-entry
--  A guard the wrong way round: Get is open only when the buffer is empty... of puts it forbids.
procedure D_Inverted_Guard is
   task Buffer is
      entry Put;
      entry Get;
   end Buffer;
   task body Buffer is
      Full : Boolean := False;
   begin
      loop
         select
            when Full =>
               accept Put;
               Full := True;
         or
            when not Full =>
               accept Get;
               Full := False;
         or
            terminate;
         end select;
      end loop;
   end Buffer;
begin
   Buffer.Put;
   Buffer.Get;
end D_Inverted_Guard;
