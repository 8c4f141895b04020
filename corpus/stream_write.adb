--  expect: client-blocked, dead-entry
--  What writes a type to a stream is a procedure of the program.
with Ada.Streams.Stream_IO;
with Ada.Streams;
procedure Stream_Write is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   type Item is record A : Integer; end record;
   procedure Put (S : not null access Ada.Streams.Root_Stream_Type'Class; I : Item);
   for Item'Write use Put;
   procedure Put (S : not null access Ada.Streams.Root_Stream_Type'Class; I : Item) is
   begin
      Gate.Wait;
   end Put;
   X : Item := (A => 1);
   F : Ada.Streams.Stream_IO.File_Type;
begin
   Ada.Streams.Stream_IO.Create (F);
   Item'Write (Ada.Streams.Stream_IO.Stream (F), X);
end Stream_Write;
