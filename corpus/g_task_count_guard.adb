--  expect: holds
--  'Count of task entries in a guard: writers go before readers.
procedure G_Task_Count_Guard is
   task Server is
      entry Read;
      entry Write;
   end Server;
   task body Server is
   begin
      for I in 1 .. 2 loop
         select
            accept Write;
         or
            when Write'Count = 0 => accept Read;
         end select;
      end loop;
   end Server;
   task Reader;
   task body Reader is
   begin
      Server.Read;
   end Reader;
begin
   Server.Write;
end G_Task_Count_Guard;
