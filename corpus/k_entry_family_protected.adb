--  expect: client-blocked
--  A protected entry family with the index in its barrier: the last turn goes to nobody.
procedure K_Entry_Family_Protected is
   type Lane is range 1 .. 3;
   protected Crossing is
      entry Pass (Lane);
   private
      Turn : Lane := 1;
   end Crossing;
   protected body Crossing is
      entry Pass (for L in Lane) when L = Turn is
      begin
         if Turn < 2 then
            Turn := Turn + 1;
         end if;
      end Pass;
   end Crossing;
   task type Car (L : Lane);
   task body Car is
   begin
      Crossing.Pass (L);
   end Car;
   A : Car (1);
   B : Car (2);
   C : Car (3);
begin
   null;
end K_Entry_Family_Protected;
