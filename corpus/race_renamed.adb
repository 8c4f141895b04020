--  expect: race, client-blocked, dead-entry
--  A renaming stays with the element that it named first.
procedure Race_Renamed is
   protected Gate is
      entry Wait;
   end Gate;
   protected body Gate is
      entry Wait when False is
      begin
         null;
      end Wait;
   end Gate;
   A : array (1 .. 3) of Integer := (1, 2, 3);
begin
   declare
      task T1;
      task body T1 is
         I : Integer := 2;
         E : Integer renames A (I);
      begin
         I := 3;
         E := 20;
      end T1;
   begin
      A (2) := 2;
   end;
   if A (2) = 20 then
      Gate.Wait;
   end if;
end Race_Renamed;
