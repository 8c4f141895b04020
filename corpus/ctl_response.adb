--  A temporal assertion at its place: whoever asks is answered, unless the server serves others for ever.
--  expect: assert@28
--  trace: LOOP
procedure Ctl_Response is
   task Server is
      entry Ask;
      entry Other;
   end Server;
   task Busy;
   task body Server is
   begin
      loop
         select
            accept Ask;
         or
            accept Other;
         end select;
      end loop;
   end Server;
   task body Busy is
   begin
      loop
         Server.Other;
      end loop;
   end Busy;
begin
   loop
      --@ assert eventually accept Server.Ask
      Server.Ask;
   end loop;
end Ctl_Response;
