--  expect: client-blocked, dead-entry
--  A postcondition on the result of a function is decided; the function is not called for it.
procedure Contract_Result is
   pragma Assertion_Policy (Check);
   Calls : Natural := 0;
   function Next return Integer with Post => Next'Result > 1;
   function Next return Integer is
   begin
      Calls := Calls + 1;
      return Calls;
   end Next;
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
begin
   Calls := Next;
exception
   when others =>
      if Calls = 1 then
         Gate.Wait;
      end if;
end Contract_Result;
