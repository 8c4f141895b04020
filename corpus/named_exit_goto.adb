--  expect: holds
--  Exits from named loops, and a goto.
procedure Named_Exit_Goto is
   task T is
      entry Tick;
   end T;
   task body T is
      N : Integer := 0;
   begin
      Outer : loop
         loop
            accept Tick;
            N := N + 1;
            exit Outer when N = 2;
            goto Again;
         end loop;
         <<Again>>
         null;
      end loop Outer;
      pragma Assert (N = 2);
   end T;
begin
   T.Tick;
   T.Tick;
end Named_Exit_Goto;
