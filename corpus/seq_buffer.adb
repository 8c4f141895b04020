--  Protected entries, variables and patterns as events.
--  property: seq_buffer.qre
--  expect: never_full
procedure Seq_Buffer is
   protected Buffer is
      entry Put (X : Integer);
      entry Get (X : out Integer);
   private
      Count : Natural range 0 .. 2 := 0;
      Value : Integer range 0 .. 9 := 0;
   end Buffer;
   protected body Buffer is
      entry Put (X : Integer) when Count < 2 is
      begin
         Count := Count + 1;
         Value := X;
      end Put;
      entry Get (X : out Integer) when Count > 0 is
      begin
         X := Value;
         Count := Count - 1;
      end Get;
   end Buffer;
   task Producer;
   task Consumer;
   task body Producer is
   begin
      for I in 1 .. 3 loop
         Buffer.Put (I);
      end loop;
   end Producer;
   task body Consumer is
      X : Integer;
   begin
      for I in 1 .. 3 loop
         Buffer.Get (X);
      end loop;
   end Consumer;
begin
   null;
end Seq_Buffer;
