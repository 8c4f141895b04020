--  expect: unhandled-exception
--  What a type promises of objects that are initialised by default.
pragma Assertion_Policy (Check);
procedure Contract_Default is
   package P is
      type T is private with Default_Initial_Condition => Value (T) > 0;
      function Value (X : T) return Integer;
   private
      type T is record
         N : Integer := 0;
      end record;
   end P;
   package body P is
      function Value (X : T) return Integer is (X.N);
   end P;
   X : P.T;
begin
   null;
end Contract_Default;
