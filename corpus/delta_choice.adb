--  expect: client-blocked, dead-entry
--  The choices of a delta aggregate are evaluated.
pragma Ada_2022;
procedure Delta_Choice is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   type Table is array (1 .. 3) of Integer;
   T : Table := (1, 2, 3);
   function Index return Integer is
   begin
      Gate.Wait;
      return 1;
   end Index;
begin
   T := (T with delta Index => 1);
end Delta_Choice;
