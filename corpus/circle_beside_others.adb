--  expect: circular-wait
--  trace: P1 and P2 wait for each other for ever
--  Two philosophers starve while two other tasks go on.
procedure Circle_Beside_Others is
   task type Fork is
      entry Up;
      entry Down;
   end Fork;
   F1, F2 : Fork;
   task Clock is
      entry Tick;
   end Clock;
   task User;
   task P1;
   task P2;
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
   task body Fork is
   begin
      loop
         accept Up;
         accept Down;
      end loop;
   end Fork;
   task body P1 is
   begin
      loop
         F1.Up; F2.Up; F2.Down; F1.Down;
      end loop;
   end P1;
   task body P2 is
   begin
      loop
         F2.Up; F1.Up; F1.Down; F2.Down;
      end loop;
   end P2;
begin
   null;
end Circle_Beside_Others;
