--  expect: server-idle
--  trace: Once waits for calls that never come [server-idle]
--  A server is called once and waits for a second call; others go on.
procedure Idle_Beside_Others is
   task Clock is
      entry Tick;
   end Clock;
   task User;
   task Once is
      entry Start;
   end Once;
   task body Clock is
   begin
      loop
         accept Tick;
      end loop;
   end Clock;
   task body Once is
   begin
      accept Start;
      accept Start;
   end Once;
   task body User is
   begin
      Once.Start;
      loop
         Clock.Tick;
      end loop;
   end User;
begin
   null;
end Idle_Beside_Others;
