--  expect: race
--  Peterson's algorithm keeps two tasks apart, given sequential consistency.
procedure E_Peterson is
   Wants : array (1 .. 2) of Boolean := (False, False);
   pragma Volatile_Components (Wants);
   Turn : Integer range 1 .. 2 := 1;
   pragma Volatile (Turn);
   Inside : Integer := 0;
   pragma Volatile (Inside);
   task type Process (Me, Other : Integer);
   task body Process is
   begin
      for Round in 1 .. 2 loop
         Wants (Me) := True;
         Turn := Other;
         while Wants (Other) and then Turn = Other loop
            null;
         end loop;
         Inside := Inside + 1;
         pragma Assert (Inside = 1);
         Inside := Inside - 1;
         Wants (Me) := False;
      end loop;
   end Process;
   A : Process (1, 2);
   B : Process (2, 1);
begin
   null;
end E_Peterson;
