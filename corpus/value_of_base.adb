--  expect: holds
--  'Value of a subtype gives any value of its type (RM 3.5): only what it is assigned to has a range.
procedure Value_Of_Base is
   type E is (A, B, C);
   subtype F is E range A .. B;
   X : Integer := Natural'Value ("-1");
begin
   if X /= -1 or F'Value ("C") /= C then
      raise Program_Error;
   end if;
end Value_Of_Base;
