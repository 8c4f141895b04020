--  expect: client-blocked?, dead-entry, program-error?, server-idle?, tasking-error?
--  Nobody follows the values of the guards: each of them may be open while the other is closed.
procedure Two_Unknown_Guards is
   F, G : Float := 0.5;
   task Server is
      entry First;
      entry Second;
   end Server;
   task body Server is
   begin
      select
         when F * G > 0.2 =>
            accept First;
      or
         when F * G < 0.3 =>
            accept Second;
      end select;
   end Server;
begin
   Server.Second;
end Two_Unknown_Guards;
