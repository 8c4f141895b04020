--  expect: spin, dead-entry
--  Busy waiting is found, too, where what follows never comes to an end.
procedure Spin_Before_Endless_Loop is
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
      Value : Integer := 0;
      Open : Boolean := False;
   end P;
   protected body P is
      entry Wait when Value > 0 is begin
         null;
      end Wait;
      procedure Set (N : Integer) is begin
         null;
      end Set;
      function Get return Integer is begin return Value; end Get;
      entry Swap (N : in out Integer) when Value < 2 is begin
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
      if P.Get = 0 or else L = 1 then raise Constraint_Error; end if;
      null;
   end Help;
   task body T1 is
      L : Integer := 0;
      begin
         select
            P.Swap (L);
            or
               delay 0.001;
               if L < 2 then
                  X := (X + 1) mod 3;
                  null;
               end if;
               null;
         end select;
         null;
   end T1;
   task body T2 is
      L : Integer := 0;
      begin
         loop
            null;
            exit when not Flag and X > 0;
         end loop;
         Help (L);
         loop
            select
               accept A;
               or
                  accept B (N : in out Integer) do
                     null;
                  end B;
               or
                  terminate;
            end select;
         end loop;
         null;
   end T2;
   L : Integer := 0;
begin
   null;
end Spin_Before_Endless_Loop;
