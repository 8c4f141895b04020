--  expect: holds
--  A buffer task with guards; the guard keeps the count in its range.
procedure D_Guarded_Buffer is
   task Buffer is
      entry Put;
      entry Get;
   end Buffer;
   task body Buffer is
      Count : Integer range 0 .. 2 := 0;
   begin
      loop
         select
            when Count < 2 =>
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
   task type Producer;
   task body Producer is
   begin
      Buffer.Put;
      Buffer.Put;
   end Producer;
   task Consumer;
   task body Consumer is
   begin
      for I in 1 .. 4 loop
         Buffer.Get;
      end loop;
   end Consumer;
   A, B : Producer;
begin
   null;
end D_Guarded_Buffer;
