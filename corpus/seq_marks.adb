--  expect: second
--  property: seq_marks.qre
--  Two names that count the same by themselves need not count the same beside a third one.
procedure Seq_Marks is
   task Server is
      entry E;
      entry F;
   end Server;
   task One;
   task Two;
   task body Server is
   begin
      loop
         select
            accept E;
         or
            accept F;
         or
            terminate;
         end select;
      end loop;
   end Server;
   task body One is
      Sum : Integer := 0;
   begin
      for I in 1 .. 2 loop
         Sum := Sum + I;
      end loop;
      Server.F;
      if Sum = 2 then
         Server.E;
      end if;
   end One;
   task body Two is
      Sum : Integer := 0;
   begin
      for I in 1 .. 2 loop
         Sum := Sum + I;
      end loop;
      Server.E;
      if Sum = 2 then
         Server.F;
      end if;
   end Two;
begin
   null;
end Seq_Marks;
