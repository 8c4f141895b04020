--  expect: holds
--  A task body as a subunit of the same file.
procedure Subunit is
   task T is
      entry E;
   end T;
   task body T is separate;
begin
   T.E;
end Subunit;

separate (Subunit)
task body T is
begin
   accept E;
end T;
