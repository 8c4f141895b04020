--  A passenger opens the door while the main procedure starts the motor; lift.rules forbids it.
procedure Lift is
   task Door is
      entry Open;
      entry Close;
   end Door;

   task Motor is
      entry Start;
      entry Stop;
   end Motor;

   task body Door is
   begin
      loop
         select
            accept Open;
            accept Close;
         or
            terminate;
         end select;
      end loop;
   end Door;

   task body Motor is
   begin
      loop
         select
            accept Start;
            accept Stop;
         or
            terminate;
         end select;
      end loop;
   end Motor;

   task Passenger;
   task body Passenger is
   begin
      Door.Open;
      Door.Close;
   end Passenger;
begin
   Motor.Start;
   Motor.Stop;
end Lift;
