--  expect: holds
--  The statements of a nested package run before the tasks around it are activated, and after
--  its own.
procedure Nested_Package_Activation is
   Outer_Started, Inner_Started : Boolean := False;
   pragma Atomic (Outer_Started);
   pragma Atomic (Inner_Started);
   task Outer;
   task body Outer is
   begin
      Outer_Started := True;
   end Outer;
   package Nested is
      task Inner is
         entry Ready;
      end Inner;
   end Nested;
   package body Nested is
      task body Inner is
      begin
         Inner_Started := True;
         accept Ready;
      end Inner;
   begin
      Inner.Ready;
      pragma Assert (Inner_Started);
      pragma Assert (not Outer_Started);
   end Nested;
begin
   null;
end Nested_Package_Activation;
