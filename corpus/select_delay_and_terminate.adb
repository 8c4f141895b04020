--  reject: a select statement has delay alternatives, one terminate alternative, or an else part
procedure Select_Delay_And_Terminate is
   task Server is
      entry Go;
   end Server;
   task body Server is
   begin
      select
         accept Go;
      or
         delay 1.0;
      or
         terminate;
      end select;
   end Server;
begin
   Server.Go;
end Select_Delay_And_Terminate;
