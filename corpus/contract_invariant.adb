--  expect: unhandled-exception
--  The invariant of a type is checked where a subprogram of its package ends.
pragma Assertion_Policy (Check);
procedure Contract_Invariant is
   package P is
      type T is private with Type_Invariant => Ok (T);
      function Ok (X : T) return Boolean;
      procedure Set (X : in out T; V : Integer);
   private
      type T is record V : Integer := 0; end record;
      function Ok (X : T) return Boolean is (X.V < 5);
   end P;
   package body P is
      procedure Set (X : in out T; V : Integer) is begin X.V := V; end Set;
   end P;
   A : P.T;
begin
   P.Set (A, 3);
   P.Set (A, 7);
end Contract_Invariant;
