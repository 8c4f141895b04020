--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  The equality of records calls the program's own one of a component: not followed.
procedure Own_Equality_Of_Part is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   type Inner is record A : Integer; end record;
   function "=" (L, R : Inner) return Boolean is
   begin
      Gate.Wait;
      return True;
   end "=";
   type Outer is record M : Inner; end record;
   X, Y : Outer := (M => (A => 1));
begin
   if X = Y then
      null;
   end if;
end Own_Equality_Of_Part;
