--  expect: race
--  options: --engine reach --states 5000
--  The code alone shows that nothing is raised: no search comes to the end of these loops.
procedure Counts_To_A_Million is
   type Modular is mod 2 ** 16;
   Total : Modular := 0;
   Limit : constant := 1_000_000;
   procedure Work (Least : Positive) is
      At_Most : Natural := 0;
   begin
      for I in Least .. Limit loop
         At_Most := I mod 10;
         Total := Total + 1;
         if At_Most > 0 then
            At_Most := At_Most - 1;
         end if;
      end loop;
   end Work;
   task T1;
   task T2;
   task body T1 is
   begin
      Work (1);
   end T1;
   task body T2 is
   begin
      Work (2);
   end T2;
begin
   null;
end Counts_To_A_Million;
