--  expect: race
--  Neighbours in something packed share storage (RM 9.10).
procedure Race_Packed is
   type Bits is array (0 .. 7) of Boolean;
   pragma Pack (Bits);
   X : Bits := (others => False);
   task T1;
   task T2;
   task body T1 is
   begin
      X (0) := True;
   end T1;
   task body T2 is
   begin
      X (1) := True;
   end T2;
begin
   null;
end Race_Packed;
