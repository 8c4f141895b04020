--  expect: client-blocked
--  The consumer asks for one more item than is produced.
procedure B_Endless_Consumer is
   protected Buffer is
      entry Get;
      procedure Put;
   private
      Count : Natural := 0;
   end Buffer;
   protected body Buffer is
      entry Get when Count > 0 is
      begin
         Count := Count - 1;
      end Get;
      procedure Put is
      begin
         Count := Count + 1;
      end Put;
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
   Buffer.Put;
end B_Endless_Consumer;
