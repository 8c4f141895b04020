--  property: ctl_choice_is_made.ctl
--  options: --fair none
--  expect: served
--  While the call waits in the queue and S0 is on its way to the select, it is decided that the call is accepted.
procedure Ctl_Choice_Is_Made is
   task S0 is
      entry E;
      entry F (N : in out Integer);
   end S0;
   task S1 is
      entry E;
      entry F (N : in out Integer);
   end S1;
   task body S0 is
      L : Integer := 0;
      begin
         select
            accept E do
               null;
            end E;
            or
               accept E do
                  null;
               end E;
            else
               null;
         end select;
         null;
   end S0;
   task body S1 is
      L : Integer := 0;
      begin
         select
            when F'Count = 0 =>
               accept E;
               --@ event served1
               null;
         end select;
         null;
   end S1;
begin
   S0.E;
   null;
end Ctl_Choice_Is_Made;
