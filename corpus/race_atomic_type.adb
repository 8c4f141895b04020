--  expect: race
--  Objects of an atomic type may be accessed by several tasks: a note, status 0.
procedure Race_Atomic_Type is
   type Flag is new Boolean with Atomic;
   type Level is new Float;
   pragma Atomic (Level);
   Done : Flag := False;
   Now  : Level := 0.0;
   task T1;
   task T2;
   task body T1 is
   begin
      Done := True;
      Now := 1.0;
   end T1;
   task body T2 is
   begin
      Done := not Done;
      Now := Now + 1.0;
   end T2;
begin
   null;
end Race_Atomic_Type;
