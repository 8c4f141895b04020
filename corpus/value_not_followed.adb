--  expect: server-idle?
--  A real value is not followed: the finding is called possible, not certain.
procedure Value_Not_Followed is
   F : Float := 1.5;
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
   end Server;
begin
   F := F * 2.0;
   if F > 1.0 then
      Server.Work;
   end if;
end Value_Not_Followed;
