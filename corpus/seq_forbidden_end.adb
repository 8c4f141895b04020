--  The step that ends an interval of a query belongs to it: it may not have a forbidden name.
--  property: seq_forbidden_end.inca
--  expect: allowed, counted
procedure Seq_Forbidden_End is
   X : Integer := 0;
begin
   X := 1;
   X := 2;
end Seq_Forbidden_End;
