--  expect: holds
--  Records with defaults and aggregates as parameters of entries.
procedure Record_Parameter is
   type Message is record
      Kind : Integer := 1;
      Last : Boolean := False;
   end record;
   task Server is
      entry Send (M : Message);
   end Server;
   task body Server is
      Got : Message;
   begin
      loop
         accept Send (M : Message) do
            Got := M;
         end Send;
         exit when Got.Last;
         pragma Assert (Got.Kind = 1);
      end loop;
      pragma Assert (Got.Kind = 7);
   end Server;
   M : Message;
begin
   Server.Send (M);
   Server.Send ((Kind => 7, Last => True));
end Record_Parameter;
