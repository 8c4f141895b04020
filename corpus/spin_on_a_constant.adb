--  expect: spin, dead-entry
--  Nobody changes X: the loop has no exit, and reads Flag again and again.
procedure Spin_On_A_Constant is
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
      entry Lane (1 .. 2);
   private
      Value : Integer := 0;
      Open : Boolean := False;
      Turn : Integer := 1;
   end P;
   protected body P is
      entry Wait when Value /= 1 is begin
         null;
      end Wait;
      procedure Set (N : Integer) is begin
         null;
      end Set;
      function Get return Integer is begin return Value; end Get;
      entry Swap (N : in out Integer) when Value < 2 is begin
         null;
      end Swap;
      entry Pass when Value < 2 is begin
         requeue Wait with abort;
      end Pass;
      entry Lane (for I in 1 .. 2) when Turn = I is begin
         null;
      end Lane;
   end P;
   task T1 is
      entry A;
      entry B (N : in out Integer);
      entry F (1 .. 2);
   end T1;
   task T2 is
      entry A;
      entry B (N : in out Integer);
      entry F (1 .. 2);
   end T2;
   task type W (N : Integer) is entry Go; end W;
   type W_Access is access W;
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
         if P.Get = 0 or else L = 1 then
            select
               accept A;
               accept B (N : in out Integer) do
                  Flag := L < 3;
                  null;
               end B;
               or
                  accept B (N : in out Integer) do
                     null;
                  end B;
               or
                  delay 0.001;
            end select;
            null;
         end if;
         null;
   end T2;
   task body W is begin
      if N > 1 then X := (X + N) mod 3; end if;
      select
         accept Go;
         or terminate;
      end select;
   end W;
   L : Integer := 0;
begin
   loop
      if not Flag and X > 0 then
         null;
         else
            null;
      end if;
      null;
      exit when X = 2;
   end loop;
   null;
end Spin_On_A_Constant;
