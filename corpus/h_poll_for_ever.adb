--  expect: spin, dead-entry
--  A client that polls an entry which is never accepted.
procedure H_Poll_For_Ever is
   protected P is
      entry Take;
   private
      Free : Boolean := False;
   end P;
   protected body P is
      entry Take when Free is
      begin
         Free := True;
      end Take;
   end P;
   task Client;
   task body Client is
   begin
      loop
         select
            P.Take;
            exit;
         else
            delay 0.1;
         end select;
      end loop;
   end Client;
begin
   null;
end H_Poll_For_Ever;
