--  expect: race
--  Elements of less than a byte share storage.
procedure Packed_Component_Size is
   type Flags is array (1 .. 8) of Boolean;
   for Flags'Component_Size use 1;
   X : Flags := (others => False);
   task A;
   task B;
   task body A is begin X (1) := True; end A;
   task body B is begin X (2) := True; end B;
begin
   null;
end Packed_Component_Size;
