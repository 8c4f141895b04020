--  expect: program-error, dead-entry
--  A barrier that raises an exception fails the calls in all queues of its object: nobody stays blocked.
procedure Barrier_Fails_All is
   type Arr is array (1 .. 2) of Boolean;
   protected P is
      entry A;
      entry B;
      entry Both_Queued;
      procedure Set (V : Integer);
   private
      D : Integer := 1;
      T : Arr := (False, False);
      Z : Boolean := False;
   end P;
   protected body P is
      entry A when T (D) is begin null; end A;
      entry B when Z is begin null; end B;
      entry Both_Queued when A'Count = 1 and B'Count = 1 is begin null; end Both_Queued;
      procedure Set (V : Integer) is begin D := V; end Set;
   end P;
   task T1; task T2;
   task body T1 is
   begin
      P.A;
      pragma Assert (False);
   exception
      when Program_Error => null;
   end T1;
   task body T2 is
   begin
      P.B;
      pragma Assert (False);
   exception
      when Program_Error => null;
   end T2;
begin
   P.Both_Queued;
   P.Set (7);
end Barrier_Fails_All;
