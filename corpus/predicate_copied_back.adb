--  expect: unhandled-exception
--  What an entry gives back must satisfy the predicate of the variable.
pragma Assertion_Policy (Check);
procedure Predicate_Copied_Back is
   subtype Even is Integer with Dynamic_Predicate => Even mod 2 = 0;
   task Source is entry Get (N : out Integer); end Source;
   task body Source is
   begin
      accept Get (N : out Integer) do
         N := 3;
      end Get;
   end Source;
   V : Even := 2;
begin
   Source.Get (V);
end Predicate_Copied_Back;
