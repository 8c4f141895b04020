--  Three cars, two places; garage.rules says that there are never three cars inside. It holds.
procedure Garage is
   protected Gate is
      entry Enter;
      procedure Leave;
   private
      Cars : Natural := 0;
   end Gate;

   protected body Gate is
      entry Enter when Cars < 2 is
      begin
         Cars := Cars + 1;
      end Enter;

      procedure Leave is
      begin
         Cars := Cars - 1;
      end Leave;
   end Gate;

   task type Car;
   task body Car is
   begin
      for Visit in 1 .. 2 loop
         Gate.Enter;
         Gate.Leave;
      end loop;
   end Car;

   A, B, C : Car;
begin
   null;
end Garage;
