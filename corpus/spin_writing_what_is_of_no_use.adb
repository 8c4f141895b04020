--  The loop writes Flag, which another task reads only to compute Flag: no progress.
--  expect: spin, race, dead-entry
procedure Spin_Writing_What_Is_Of_No_Use is
   X : Integer range 0 .. 2 := 0;
   pragma Volatile (X);
   Flag : Boolean := False;
   task T is
      entry E;
   end T;
   task body T is
   begin
      Flag := not Flag and X > 0;
   end T;
begin
   loop
      Flag := True;
      exit when X = 2;
   end loop;
   if T'Callable then
      X := (X + 1) mod 3;
   end if;
end Spin_Writing_What_Is_Of_No_Use;
