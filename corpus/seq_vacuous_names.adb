--  What is said to never happen never happens, and without it nothing can break the property; names that share a step
--  are no reason to say so.
--  property: seq_vacuous_names.qre
--  expect: holds
procedure Seq_Vacuous_Names is
   X : Integer := 0;
begin
   X := 3;
   X := 2;
end Seq_Vacuous_Names;
