--  expect: circular-wait, dead-entry
--  trace: X and Y wait for each other for ever; Log and Third wait behind them
--  Each of two tasks calls the other before it accepts. Whoever waits for one of them is named with them; a clock goes on.
procedure Embrace_With_Queue is
   task Clock is
      entry Tick;
   end Clock;
   task User;
   task X is
      entry E;
   end X;
   task Y is
      entry E;
   end Y;
   task Log is
      entry Put;
   end Log;
   task Third;
   task body Clock is
   begin
      loop
         accept Tick;
      end loop;
   end Clock;
   task body User is
   begin
      loop
         Clock.Tick;
      end loop;
   end User;
   task body X is
   begin
      Y.E;
      accept E;
      accept E;
      Log.Put;
   end X;
   task body Y is
   begin
      X.E;
      accept E;
   end Y;
   task body Log is
   begin
      accept Put;
   end Log;
   task body Third is
   begin
      X.E;
   end Third;
begin
   null;
end Embrace_With_Queue;
