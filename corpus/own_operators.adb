--  expect: client-blocked, dead-entry
--  The program's own operators are called: with one operand, of real types, inherited, and of types that are used.
procedure Own_Operators is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   package Numbers is
      type Number is new Integer;
      function "-" (N : Number) return Number;
      type Real is new Float;
      function "*" (A, B : Real) return Real;
   end Numbers;
   Steps : Natural := 0;
   package body Numbers is
      function "-" (N : Number) return Number is
      begin
         Steps := Steps + 1;
         return Number (Integer (N) + 1);
      end "-";
      function "*" (A, B : Real) return Real is
      begin
         Steps := Steps + 1;
         return A;
      end "*";
   end Numbers;
   use type Numbers.Number;
   use type Numbers.Real;
   type Derived is new Numbers.Number;
   N : Numbers.Number := 1;
   D : Derived := 1;
   R : Numbers.Real := 1.0;
begin
   N := -N;
   D := -D;
   R := R * R;
   if Steps = 3 and N = 2 then
      Gate.Wait;
   end if;
end Own_Operators;
