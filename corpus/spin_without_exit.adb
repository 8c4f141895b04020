--  expect: spin, dead-entry
--  Whatever it sees, the second task looks again: its loops have no way out. Found at random.
procedure Spin_Without_Exit is
   X : Integer range 0 .. 2 := 0;
   pragma Volatile (X);
   Flag : Boolean := False;
   pragma Volatile (Flag);
   protected P is
      entry Wait;
      procedure Set (N : Integer);
      function Get return Integer;
      entry Swap (N : in out Integer);
   private
      Value : Integer := 1;
      Open : Boolean := False;
   end P;
   protected body P is
      entry Wait when Value /= 1 is begin
         null;
      end Wait;
      procedure Set (N : Integer) is begin
         null;
      end Set;
      function Get return Integer is begin return Value; end Get;
      entry Swap (N : in out Integer) when True is begin
         null;
      end Swap;
   end P;
   task T1 is
      entry A;
      entry B (N : in out Integer);
   end T1;
   task T2 is
      entry A;
      entry B (N : in out Integer);
   end T2;
   procedure Help (L : in out Integer) is begin
      null;
   end Help;
   task body T1 is
      L : Integer := 0;
      begin
         null;
   end T1;
   task body T2 is
      L : Integer := 0;
      begin
         loop
            loop
               Help (L);
               null;
               exit when not Flag and X > 0;
            end loop;
            null;
            exit when Flag;
         end loop;
         null;
   end T2;
   task type C;
   task body C is
      L : Integer := 0;
      begin
         null;
   end C;
   Clients : array (1 .. 2) of C;
   L : Integer := 0;
begin
   if T1'Terminated then
      if L < 1 then
         null;
         else
            X := (X + 1) mod 3;
            null;
      end if;
      null;
   end if;
   L := (L + 0) mod 3;
   null;
end Spin_Without_Exit;
