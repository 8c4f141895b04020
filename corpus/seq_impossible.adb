--  A property that no sequence satisfies is broken by a program that never ends, whether its events happen or not.
--  property: seq_impossible.qre
--  expect: never, nothing, silent
--  trace: no sequence of events satisfies it
procedure Seq_Impossible is
   task Ping is
      entry Hit;
      entry Stop;
   end Ping;
   task Pong is
      entry Hit;
   end Pong;
   task body Ping is
   begin
      loop
         Pong.Hit;
         accept Hit;
      end loop;
   end Ping;
   task body Pong is
   begin
      loop
         accept Hit;
         Ping.Hit;
      end loop;
   end Pong;
begin
   null;
end Seq_Impossible;
