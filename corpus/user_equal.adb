--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  The predefined equality of a record uses the program's own one of a component.
procedure User_Equal is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   package P is
      type In_R is record A, B : Integer; end record;
      function "=" (L, R : In_R) return Boolean is (L.A = R.A);
      type Out_R is record X : In_R; Y : Integer; end record;
   end P;
   use type P.Out_R;
   U : P.Out_R := (X => (1, 2), Y => 3);
   V : P.Out_R := (X => (1, 9), Y => 3);
begin
   if U = V then Gate.Wait; end if;
end User_Equal;
