--  expect: holds
--  A postcondition given by a pragma is followed.
pragma Assertion_Policy (Check);
procedure Contract_Pragma_Post is
   procedure Step (X : in out Integer);
   pragma Postcondition (X > 0);
   procedure Step (X : in out Integer) is begin X := X + 1; end Step;
   N : Integer := 0;
begin
   Step (N);
end Contract_Pragma_Post;
