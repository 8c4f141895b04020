--  expect: race?
--  Which elements of a large array, or between which bounds of a slice, nobody knows.
procedure Race_Unknown_Element is
   A : array (1 .. 1000) of Integer;
   B : array (1 .. 4) of Integer := (others => 0);
   F : Float := 2.0;
   task T1;
   task T2;
   task body T1 is
   begin
      for I in 1 .. 5 loop
         A (I) := I;
      end loop;
      B (Integer (F)) := 1;
   end T1;
   task body T2 is
   begin
      for I in 996 .. 1000 loop
         A (I) := I;
      end loop;
      B (4) := 2;
   end T2;
begin
   null;
end Race_Unknown_Element;
