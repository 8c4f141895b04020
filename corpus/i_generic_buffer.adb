--  expect: holds
--  A generic package with a protected type, instantiated twice.
procedure I_Generic_Buffer is
   generic
      type Item is private;
      Size : Positive;
   package Buffers is
      protected type Buffer is
         entry Put (X : Item);
         entry Get (X : out Item);
      private
         Data : Item;
         Count : Natural := 0;
      end Buffer;
   end Buffers;
   package body Buffers is
      protected body Buffer is
         entry Put (X : Item) when Count < Size is
         begin
            Data := X;
            Count := Count + 1;
         end Put;
         entry Get (X : out Item) when Count > 0 is
         begin
            X := Data;
            Count := Count - 1;
         end Get;
      end Buffer;
   end Buffers;
   package Integers is new Buffers (Integer, 1);
   package Booleans is new Buffers (Item => Boolean, Size => 1);
   A : Integers.Buffer;
   B : Booleans.Buffer;
   task Echo;
   task body Echo is
      X : Integer;
   begin
      A.Get (X);
      B.Put (X = 7);
   end Echo;
   Right : Boolean;
begin
   A.Put (7);
   B.Get (Right);
   pragma Assert (Right);
end I_Generic_Buffer;
