--  expect: dead-entry
--  A delay may end the abortable part, which waits for a call that never comes.
procedure Asynchronous_Delay is
   protected P is
      entry Never;
   end P;
   protected body P is
      entry Never when False is
      begin
         null;
      end Never;
   end P;
begin
   select
      delay 1.0;
   then abort
      P.Never;
   end select;
end Asynchronous_Delay;
