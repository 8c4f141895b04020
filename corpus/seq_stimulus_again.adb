--  The response to one stimulus is the next one: only what goes on for ever keeps such a rule.
--  property: seq_stimulus_again.qre
--  expect: broken_off
procedure Seq_Stimulus_Again is
   task S is
      entry A;
      entry B;
      entry C;
   end S;
   task Client;
   task body S is
   begin
      accept C;
      loop
         accept A;
         accept B;
      end loop;
   end S;
   task body Client is
   begin
      loop
         S.A;
         S.B;
      end loop;
   end Client;
begin
   S.C;
end Seq_Stimulus_Again;
