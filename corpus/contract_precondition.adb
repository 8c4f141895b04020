--  expect: unhandled-exception
--  A precondition that fails, where the program wants it checked.
pragma Assertion_Policy (Check);
procedure Contract_Precondition is
   procedure Step (X : Integer) with Pre => X < 3;
   procedure Step (X : Integer) is null;
   task T;
   task body T is
   begin
      for I in 1 .. 3 loop Step (I); end loop;
   end T;
begin
   null;
end Contract_Precondition;
