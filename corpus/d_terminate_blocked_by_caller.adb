--  expect: client-blocked
--  Terminate cannot be selected while another dependent waits in a call.
procedure D_Terminate_Blocked_By_Caller is
   task Buffer is
      entry Put;
      entry Get;
   end Buffer;
   task body Buffer is
      Count : Natural := 0;
   begin
      loop
         select
            accept Put;
            Count := Count + 1;
         or
            when Count > 0 =>
               accept Get;
               Count := Count - 1;
         or
            terminate;
         end select;
      end loop;
   end Buffer;
   task Consumer;
   task body Consumer is
   begin
      loop
         Buffer.Get;
      end loop;
   end Consumer;
begin
   Buffer.Put;
end D_Terminate_Blocked_By_Caller;
