--  Even a long delay ends, although the abortable part beside it goes on for ever: nothing is said about what follows.
--  options: --delays long --engine explore
--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
procedure Delay_Beside_Own_Loop is
   Turn : Integer := 0;
begin
   select
      delay 1.0;
      raise Program_Error;
   then abort
      loop
         Turn := (Turn + 1) mod 7;
      end loop;
   end select;
end Delay_Beside_Own_Loop;
