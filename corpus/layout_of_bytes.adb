--  expect: holds
--  Components and elements of whole bytes are independent of each other.
procedure Layout_Of_Bytes is
   type Byte is mod 256;
   type Pair is record
      A, B : Byte := 0;
   end record;
   for Pair use record
      A at 0 range 0 .. 7;
      B at 0 range 8 .. 15;
   end record;
   type Bytes is array (1 .. 2) of Byte with Component_Size => 8;
   X : Pair;
   Y : Bytes := (0, 0);
   task A;
   task B;
   task body A is begin X.A := 1; Y (1) := 1; end A;
   task body B is begin X.B := 1; Y (2) := 1; end B;
begin
   null;
end Layout_Of_Bytes;
