--  expect: spin
--  The server looks again and again how many wait for it, when nobody will ever call again.
procedure Spin_Counting_Callers is
   task Server is
      entry Start;
   end Server;

   task body Server is
   begin
      accept Start;
      loop
         exit when Start'Count > 0;
      end loop;
   end Server;
begin
   Server.Start;
end Spin_Counting_Callers;
