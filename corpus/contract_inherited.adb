--  expect: unhandled-exception
--  An operation has the preconditions for the class of the operation that it overrides.
pragma Assertion_Policy (Check);
procedure Contract_Inherited is
   package P is
      type T is interface;
      procedure Op (X : T; N : Integer) is abstract with Pre'Class => N > 5;
      type U is new T with null record;
      overriding procedure Op (X : U; N : Integer);
   end P;
   package body P is
      procedure Op (X : U; N : Integer) is null;
   end P;
   V : P.U;
   Y : Integer := 6;
begin
   P.Op (V, Y);
   Y := 3;
   P.Op (V, Y);
end Contract_Inherited;
