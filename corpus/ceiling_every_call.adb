--  expect: program-error
--  conformance: ceilings need privileges to run
--  The ceiling is checked with every kind of call: of an element, through an access value, conditional and in
--  an asynchronous select, from a subprogram that a protected action calls.
pragma Task_Dispatching_Policy (FIFO_Within_Priorities);
pragma Locking_Policy (Ceiling_Locking);
procedure Ceiling_Every_Call is
   pragma Priority (5);
   protected type P with Priority => 10 is
      entry E;
      procedure Q;
   end P;
   protected body P is
      entry E when True is begin null; end E;
      procedure Q is begin null; end Q;
   end P;
   type Elements is array (1 .. 2) of P;
   A : Elements;
   type Ref is access P;
   Low : P;
   protected High with Priority => 30 is procedure Q; end High;
   procedure Middle is begin Low.Q; end Middle;
   protected body High is procedure Q is begin Middle; end Q; end High;
   Failures : Integer := 0 with Atomic;
   task T with Priority => 20;
   task body T is
      R : Ref := new P;
      I : Integer := 1;
   begin
      R := new P;
      begin A (I).E; exception when Program_Error => Failures := Failures + 1; end;
      begin A (I).Q; exception when Program_Error => Failures := Failures + 1; end;
      begin R.E; exception when Program_Error => Failures := Failures + 1; end;
      begin R.Q; exception when Program_Error => Failures := Failures + 1; end;
      begin select Low.E; else null; end select; exception when Program_Error => Failures := Failures + 1; end;
      begin select Low.E; or delay 1.0; end select; exception when Program_Error => Failures := Failures + 1; end;
      begin select Low.E; then abort null; end select; exception when Program_Error => Failures := Failures + 1; end;
      begin High.Q; exception when Program_Error => Failures := Failures + 1; end;
      if Failures /= 8 then
         raise Constraint_Error;
      end if;
   end T;
begin
   Low.Q;
   A (2).E;
end Ceiling_Every_Call;
