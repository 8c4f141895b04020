--  expect: client-blocked, dead-entry
--  An error in the data of the synchronisation: a buffer without places.
procedure Capacity_Zero is
   Capacity : constant := 0;
   protected Buffer is
      entry Put;
   private
      Count : Natural := 0;
   end Buffer;
   protected body Buffer is
      entry Put when Count < Capacity is
      begin
         Count := Count + 1;
      end Put;
   end Buffer;
begin
   Buffer.Put;
end Capacity_Zero;
