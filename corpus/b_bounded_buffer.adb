--  expect: holds
--  Producer and consumer over a buffer of two places: barriers on a count.
procedure B_Bounded_Buffer is
   Size : constant := 2;
   type Places is array (0 .. Size - 1) of Integer;
   protected Buffer is
      entry Put (X : Integer);
      entry Get (X : out Integer);
   private
      Data : Places := (others => 0);
      First, Count : Integer := 0;
   end Buffer;
   protected body Buffer is
      entry Put (X : Integer) when Count < Size is
      begin
         Data ((First + Count) mod Size) := X;
         Count := Count + 1;
      end Put;
      entry Get (X : out Integer) when Count > 0 is
      begin
         X := Data (First);
         First := (First + 1) mod Size;
         Count := Count - 1;
      end Get;
   end Buffer;
   task Producer;
   task body Producer is
   begin
      for I in 1 .. 4 loop
         Buffer.Put (I);
      end loop;
   end Producer;
   task Consumer;
   task body Consumer is
      X : Integer;
   begin
      for I in 1 .. 4 loop
         Buffer.Get (X);
         pragma Assert (X = I);
      end loop;
   end Consumer;
begin
   null;
end B_Bounded_Buffer;
