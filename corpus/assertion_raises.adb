--  expect: assertion, unhandled-exception, client-blocked, dead-entry
--  An assertion that fails raises an exception, where the program wants it checked.
pragma Assertion_Policy (Check);
procedure Assertion_Raises is
   protected Gate is
      procedure Open;
      entry Wait;
   private
      O : Boolean := False;
   end Gate;
   protected body Gate is
      procedure Open is begin O := True; end Open;
      entry Wait when O is begin null; end Wait;
   end Gate;
   N : Integer := 1;
   task T;
   task body T is
   begin
      pragma Assert (N = 2);
      Gate.Open;
   end T;
begin
   Gate.Wait;
end Assertion_Raises;
