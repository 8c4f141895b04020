--  expect: spin
--  Whatever it sees, the task looks again: its loops have no way out.
procedure Spin_Without_Exit is
   X : Integer range 0 .. 2 := 0;
   pragma Volatile (X);
   Flag : Boolean := False;
   pragma Volatile (Flag);

   procedure Help (L : in out Integer) is
   begin
      null;
   end Help;

   task Watcher;

   task body Watcher is
      L : Integer := 0;
   begin
      loop
         loop
            Help (L);
            exit when not Flag and X > 0;
         end loop;
         exit when Flag;
      end loop;
   end Watcher;

   L : Integer := 0;
begin
   if Watcher'Terminated then
      if L < 1 then
         null;
      else
         X := (X + 1) mod 3;
      end if;
   end if;
   L := (L + 0) mod 3;
end Spin_Without_Exit;
