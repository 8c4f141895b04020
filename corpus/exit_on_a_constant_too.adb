--  expect: dead-entry
--  The part of the condition that never changes is folded away: it does not make the loop one that waits (random program 1110006000).
procedure Exit_On_A_Constant_Too is
   X : Integer range 0 .. 2 := 0;
   pragma Volatile (X);
   Flag : Boolean := False;
   pragma Volatile (Flag);
   protected P is
      entry Wait;
      procedure Set (N : Integer);
      function Get return Integer;
      entry Swap (N : in out Integer);
      entry Pass;
   private
      Value : Integer := 0;
      Open : Boolean := False;
   end P;
   protected body P is
      entry Wait when Value > 0 is begin
         null;
      end Wait;
      procedure Set (N : Integer) is begin
         Value := N;
         null;
      end Set;
      function Get return Integer is begin return Value; end Get;
      entry Swap (N : in out Integer) when Value < 2 is begin
         null;
      end Swap;
      entry Pass when True is begin
         if Value = 0 then Open := True; else requeue Wait with abort; end if;
      end Pass;
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
         null;
   end T2;
   L : Integer := 0;
begin
   if T2'Callable then
      loop
         P.Set (2);
         null;
         exit when P.Get = 0 or else L = 1;
      end loop;
      null;
   end if;
   null;
end Exit_On_A_Constant_Too;
