--  expect: holds
--  A component that raises an exception leaves the target as it was; so does one that calls.
procedure Aggregate_Fails is
   type Numbers is array (1 .. 3) of Integer range 0 .. 10;
   type Pair is record
      X, Y : Integer := 0;
   end record;
   A : Numbers := (1, 2, 3);
   P : Pair := (1, 2);
   N : Integer := 5;
   procedure Swap (Q : in out Pair) is
   begin
      Q := (X => Q.Y, Y => Q.X);
   end Swap;
   function Look return Integer is
   begin
      return P.X;
   end Look;
   type Any_Numbers is array (Positive range <>) of Integer;
   procedure Turn (V : in out Any_Numbers) is
   begin
      V := (V (2), V (1));
   end Turn;
   V : Any_Numbers (1 .. 2) := (1, 2);
begin
   N := 50;
   begin
      A := (1 => 9, 2 => 8, 3 => N);
   exception
      when Constraint_Error => null;
   end;
   Swap (P);
   P := (7, Look);
   Turn (V);
   if A (1) /= 1 or P.Y /= 2 or V (1) /= 2 or V (2) /= 1 then
      raise Program_Error;
   end if;
   A := (4, 5, 6);
   if A (1) /= 4 or A (3) /= 6 then
      raise Program_Error;
   end if;
end Aggregate_Fails;
