--  expect: holds
--  Statements of a package body run before the main procedure.
package F_State is
   Limit : Integer := 0;
   procedure Check;
end F_State;

package body F_State is
   procedure Check is
   begin
      pragma Assert (Limit = 5);
   end Check;
begin
   Limit := 5;
end F_State;

with F_State;
procedure F_Package_Initialisation is
   task T;
   task body T is
   begin
      F_State.Check;
   end T;
begin
   null;
end F_Package_Initialisation;
