--  expect: race?
--  A library unit calls the subprogram that a variable designates.
with Ada.Containers.Vectors;
procedure Callback_Variable is
   package Lists is new Ada.Containers.Vectors (Positive, Integer);
   L : Lists.Vector;
   N : Integer := 0;
   procedure Visit (C : Lists.Cursor) is begin N := N + 1; end Visit;
   P : access procedure (C : Lists.Cursor) := Visit'Access;
   task A;
   task B;
   task body A is begin L.Iterate (P); end A;
   task body B is begin N := 2; end B;
begin
   null;
end Callback_Variable;
