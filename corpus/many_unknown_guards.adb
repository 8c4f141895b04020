--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  Each of seventeen guards that are not known may be closed: that is more than is followed.
procedure Many_Unknown_Guards is
   F : Float := 17.5;
   task Server is
      entry E1;
      entry E2;
      entry E3;
      entry E4;
      entry E5;
      entry E6;
      entry E7;
      entry E8;
      entry E9;
      entry E10;
      entry E11;
      entry E12;
      entry E13;
      entry E14;
      entry E15;
      entry E16;
      entry E17;
   end Server;
   task body Server is
   begin
      select
         when F > 1.0 =>
            accept E1;
      or
         when F > 2.0 =>
            accept E2;
      or
         when F > 3.0 =>
            accept E3;
      or
         when F > 4.0 =>
            accept E4;
      or
         when F > 5.0 =>
            accept E5;
      or
         when F > 6.0 =>
            accept E6;
      or
         when F > 7.0 =>
            accept E7;
      or
         when F > 8.0 =>
            accept E8;
      or
         when F > 9.0 =>
            accept E9;
      or
         when F > 10.0 =>
            accept E10;
      or
         when F > 11.0 =>
            accept E11;
      or
         when F > 12.0 =>
            accept E12;
      or
         when F > 13.0 =>
            accept E13;
      or
         when F > 14.0 =>
            accept E14;
      or
         when F > 15.0 =>
            accept E15;
      or
         when F > 16.0 =>
            accept E16;
      or
         when F > 17.0 =>
            accept E17;
      end select;
   end Server;
begin
   Server.E17;
end Many_Unknown_Guards;
