--  expect: no_fault
--  property: overflow_beside_another_rule.qre
--
--  What only the other rule looks at may still raise an exception that this rule is about.
procedure Overflow_Beside_Another_Rule is
   task Doubler is
      entry Go;
   end Doubler;
   task body Doubler is
      X : Integer := 1;
   begin
      accept Go;
      for I in 1 .. 33 loop
         X := X * 2;
      end loop;
   exception
      when others =>
         --@ event fault
         null;
   end Doubler;
begin
   Doubler.Go;
end Overflow_Beside_Another_Rule;
