--  expect: race
--  Components in the same byte of a record share storage.
procedure Packed_Layout is
   type Flags is record
      A, B : Boolean := False;
   end record;
   for Flags use record
      A at 0 range 0 .. 0;
      B at 0 range 1 .. 1;
   end record;
   X : Flags;
   task A;
   task B;
   task body A is begin X.A := True; end A;
   task body B is begin X.B := True; end B;
begin
   null;
end Packed_Layout;
