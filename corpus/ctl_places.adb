--  Places that nothing depends on are places all the same, and between two of them is a third.
--  property: ctl_places.ctl
--  expect: never_there, from_one_to_the_other, only_calls
procedure Ctl_Places is
   Level : Integer := 0;

   task Tank is
      entry Fill (Amount : Integer);
   end Tank;

   task body Tank is
      Full : Boolean := False;
   begin
      accept Fill (Amount : Integer) do
         Level := Level + Amount;
      end Fill;
      if Level = 3 then
         Full := True;
      end if;
      Full := not Full;
      Full := False;
      Full := True;
   end Tank;
begin
   Tank.Fill (3);
end Ctl_Places;
