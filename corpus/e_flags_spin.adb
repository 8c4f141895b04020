--  expect: spin, race
--  Both set their flag, then wait for the other's to be cleared: they may spin for ever.
procedure E_Flags_Spin is
   Wants_A, Wants_B : Boolean := False;
   pragma Volatile (Wants_A);
   pragma Volatile (Wants_B);
   task A;
   task body A is
   begin
      Wants_A := True;
      while Wants_B loop
         delay 0.0;
      end loop;
      Wants_A := False;
   end A;
   task B;
   task body B is
   begin
      Wants_B := True;
      while Wants_A loop
         delay 0.0;
      end loop;
      Wants_B := False;
   end B;
begin
   null;
end E_Flags_Spin;
