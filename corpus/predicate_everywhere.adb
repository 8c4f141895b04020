--  expect: holds
--  conformance: GNAT assigns an aggregate before it checks the predicate of the target
--  A predicate is checked wherever a value gets into the subtype: each of these raises Assertion_Error.
pragma Assertion_Policy (Check);
with Ada.Assertions; use Ada.Assertions;
procedure Predicate_Everywhere is
   subtype Even is Integer with Dynamic_Predicate => Even mod 2 = 0;
   type Own is new Even;
   type Small is new Integer range 0 .. 100;
   pragma Predicate (Small, Small mod 2 = 0);
   type Pair is record
      A, B : Integer := 0;
   end record with Dynamic_Predicate => Pair.A <= Pair.B;

   Failures : Integer := 0;
   Odd : Integer := 3;
   V : Even := 2;
   W : Own := 2;
   X : Small := 2;
   P : Pair;
   Q : Pair;

   function Twice (N : Even) return Integer is (N + N);
   function Same (N : Integer) return Even is begin return N; end Same;
   procedure Set (N : out Integer) is begin N := 3; end Set;
   procedure Lower (N : in out Pair) is begin N.B := -1; end Lower;
   procedure Failed is begin Failures := Failures + 1; end Failed;
begin
   Odd := 3;
   begin
      declare
         Y : Even := Odd;
      begin
         Y := 4;
      end;
   exception when Assertion_Error => Failed; end;
   begin
      declare
         Y : constant Even := 3;
      begin
         null;
      end;
   exception when Assertion_Error => Failed; end;
   begin Odd := Twice (Odd); exception when Assertion_Error => Failed; end;
   begin Odd := Same (Odd); exception when Assertion_Error => Failed; end;
   begin Set (V); exception when Assertion_Error => Failed; end;
   begin Odd := Even (Odd); exception when Assertion_Error => Failed; end;
   begin Odd := Even'(Odd); exception when Assertion_Error => Failed; end;
   begin W := Own'Base (Odd); exception when Assertion_Error => Failed; end;
   begin X := Small'Base (Odd); exception when Assertion_Error => Failed; end;
   begin V := Odd; exception when Assertion_Error => Failed; end;
   P.A := 5;
   begin Q := P; exception when Assertion_Error => Failed; end;
   begin Q := (A => 2, B => 1); exception when Assertion_Error => Failed; end;
   begin Lower (Q); exception when Assertion_Error => Failed; end;
   if Failures /= 13 or W /= 2 or X /= 2 then
      raise Program_Error;
   end if;
end Predicate_Everywhere;
