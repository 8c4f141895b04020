--  Whether the bell rings depends on a value that is not followed: that it can ring is not certain.
--  property: ctl_unknown.ctl
--  options: --untrack Mood
--  expect: rings?, silent?
procedure Ctl_Unknown is
   Mood : Integer := 0;
   pragma Volatile (Mood);

   task Bell is
      entry Ring;
   end Bell;

   task body Bell is
   begin
      select
         accept Ring;
      or
         terminate;
      end select;
   end Bell;
begin
   Mood := Mood + 1;
   if Mood = 7 then
      Bell.Ring;
   end if;
end Ctl_Unknown;
