--  expect: circular-wait?, unhandled-exception?
--  conformance: the call is not understood yet
--  Put with two parameters is that of the library, not the entry: not told apart yet.
with Ada.Integer_Text_IO; use Ada.Integer_Text_IO;
procedure Overloaded_Put is
   protected Buffer is
      entry Put (Value : in Integer);
      procedure Done;
   end Buffer;
   protected body Buffer is
      entry Put (Value : in Integer) when True is
      begin
         Put (Value + 100, 4);   --  Ada.Integer_Text_IO.Put: two parameters
      end Put;
      procedure Done is begin null; end Done;
   end Buffer;
begin
   Buffer.Put (1);
   Buffer.Done;
end Overloaded_Put;
