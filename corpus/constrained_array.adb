--  expect: server-idle
--  An array type with open bounds, given bounds where objects are declared.
procedure Constrained_Array is
   task type Worker is
      entry Go;
   end Worker;
   type Workers is array (Positive range <>) of Worker;
   type Counts is array (Integer range <>) of Integer;
   task body Worker is
   begin
      accept Go;
   end Worker;
   N : constant := 2;
   W : Workers (1 .. N + 1);
   C : Counts (0 .. 1) := (others => 1);
begin
   for I in 1 .. N loop
      W (I).Go;
   end loop;
   pragma Assert (C (0) + C (C'Last) = 2);
end Constrained_Array;
