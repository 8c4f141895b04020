--  Who waits for ever for a barrier is shown where it waits in the queue, not where it finds the object taken.
--  options: --engine reach --no-merge
--  expect: client-blocked, dead-entry
procedure Wait_Behind_A_Lock is
   protected P is
      entry W;
      function Is_Set return Boolean;
   private
      Open : Boolean := False;
   end P;
   protected body P is
      entry W when Open is
      begin
         Open := False;
      end W;
      function Is_Set return Boolean is
      begin
         return Open;
      end Is_Set;
   end P;
   task S is
      entry A;
      entry B;
   end S;
   task Waiting;
   task Client;
   task body S is
   begin
      loop
         select
            when P.Is_Set =>
               accept A;
         or
            when not P.Is_Set =>
               accept B;
         end select;
      end loop;
   end S;
   task body Waiting is
   begin
      P.W;
   end Waiting;
   task body Client is
   begin
      loop
         select
            S.B;
         or
            delay 1.0;
         end select;
      end loop;
   end Client;
begin
   null;
end Wait_Behind_A_Lock;
