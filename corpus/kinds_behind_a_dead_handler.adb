--  expect: client-blocked, server-idle, dead-entry
--  The handler is never entered: nobody is left who could call T2.B, so that there is no circle (random program 41001567).
procedure Kinds_Behind_A_Dead_Handler is
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
      entry Wait when Value > 0 is begin
         null;
      end Wait;
      procedure Set (N : Integer) is begin
         Open := not Open;
         null;
      end Set;
      function Get return Integer is begin return Value; end Get;
      entry Swap (N : in out Integer) when Open is begin
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
         P.Swap (L);
         if T2'Callable then
            begin
               Flag := L /= 0;
               null;
               exception
                  when Tasking_Error =>
                     T2.B (L);
                     null;
            end;
            null;
         end if;
         null;
   end T1;
   task body T2 is
      L : Integer := 0;
      begin
         accept B (N : in out Integer) do
            null;
         end B;
         null;
   end T2;
   L : Integer := 0;
begin
   T2.A;
   P.Set (0);
   null;
end Kinds_Behind_A_Dead_Handler;
