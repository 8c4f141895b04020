--  Events mix with states in formulas: what a step is, and what comes after it.
--  property: ctl_mixed.ctl
--  expect: closes, goes_on
--  trace: LOOP
with Ada.Integer_Text_IO;
procedure Ctl_Mixed is
   task File is
      entry Open;
      entry Close;
      entry Work;
   end File;

   N : Integer;

   task body File is
   begin
      loop
         select
            accept Open;
         or
            accept Close;
         or
            accept Work;
         or
            terminate;
         end select;
      end loop;
   end File;
begin
   Ada.Integer_Text_IO.Get (N);

   if N > 1 then
      File.Work;
   end if;
   File.Open;
   if N = 1 then
      loop
         File.Work;
      end loop;
   end if;
   File.Close;
end Ctl_Mixed;
