--  expect: unhandled-exception
--  The bounds of a component are those of the argument.
procedure Check_Discriminant_Bounds is
   type Vec is array (Integer range <>) of Integer;
   type Stack (Cap : Positive) is record
      Top : Natural := 0;
      D : Vec (1 .. Cap);
   end record;
   S : Stack (2);
   procedure Push (T : in out Stack; V : Integer) is
   begin
      T.D (T.Top + 1) := V;
      T.Top := T.Top + 1;
   end Push;
begin
   Push (S, 3); Push (S, 4);
   Push (S, 5);
end Check_Discriminant_Bounds;
