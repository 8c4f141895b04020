--  expect: holds
--  Access discriminants that designate different variables.
procedure Discriminants_Apart is
   type Ref is access all Integer;
   X, Y : aliased Integer := 0;
   task type T (P : Ref);
   task body T is
   begin
      P.all := P.all + 1;
   end T;
   T1 : T (X'Access);
   T2 : T (Y'Access);
begin
   null;
end Discriminants_Apart;
