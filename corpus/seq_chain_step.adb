--  A step that is the first cause of a chain and its effect at once comes before the rest of the chain.
--  property: seq_chain_step.qre
--  expect: together, two_of_three
--  trace: every execution
procedure Seq_Chain_Step is
   X : Integer := 0;
begin
   X := 1;
   X := 2;
   X := 3;
end Seq_Chain_Step;
