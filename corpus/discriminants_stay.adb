--  expect: unhandled-exception?
--  options: --checks may-fail
--  What an allocator made keeps its discriminants (RM 4.8); whether others may change is not followed.
procedure Discriminants_Stay is
   type R (D : Boolean := False) is record
      V : Integer := 1;
   end record;
   type Access_R is access R;
   G : Access_R := new R'(False, 1);
begin
   G.all := (True, 2);
end Discriminants_Stay;
