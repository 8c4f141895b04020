--  expect: server-idle, dead-entry
--  Whoever was aborted in the queue may still be served, and ends before it writes: nobody races with it.
procedure Abort_Due_Before_A_Write is
   X : Integer range 0 .. 2 := 0;
   pragma Volatile (X);

   task T1 is
      entry A;
      entry B;
   end T1;

   task T2;

   procedure Help is
   begin
      X := (X + 1) mod 3;
   end Help;

   task body T1 is
   begin
      abort T2;
      for I in 1 .. 2 loop
         accept A;
      end loop;
   end T1;

   task body T2 is
      L : Integer := 0;
   begin
      if T1'Callable then
         T1.A;
         L := (L + 2) mod 3;
      end if;
      X := (X + 1) mod 3;
   end T2;
begin
   Help;
end Abort_Due_Before_A_Write;
