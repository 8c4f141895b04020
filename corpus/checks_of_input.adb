--  expect: holds
--  trace: 5 checks on values that are not followed are taken to pass
--  Nobody knows what is read, so every check on it is listed.
with Ada.Integer_Text_IO; use Ada.Integer_Text_IO;
procedure Checks_Of_Input is
   N : Integer := 0;
   M : Positive := 1;
   X, S : Integer := 0;
   A : array (1 .. 5) of Integer := (others => 0);
   task T is entry E (P : Positive); end T;
   task body T is begin accept E (P : Positive); end T;
begin
   Get (N);
   M := N;
   A (N) := 1;
   X := 10 / N;
   S := N + 1;
   T.E (N);
end Checks_Of_Input;
