--  expect: holds
--  Different elements of one array: no race.
procedure E_Race_Array_Elements is
   A : array (1 .. 2) of Integer := (0, 0);
   task type Worker (I : Positive);
   task body Worker is
   begin
      A (I) := A (I) + 1;
   end Worker;
   One : Worker (1);
   Two : Worker (2);
begin
   null;
end E_Race_Array_Elements;
