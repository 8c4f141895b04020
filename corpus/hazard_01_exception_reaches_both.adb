--  expect: holds
--  An exception that leaves an accept body is raised in both partners; both handle it.
procedure Hazard_01_Exception_Reaches_Both is
   Boom : exception;
   Caller_Got, Server_Got : Boolean := False;
begin
   declare
      task S is
         entry E;
      end S;
      task body S is
      begin
         accept E do
            raise Boom;
         end E;
         pragma Assert (False);
      exception
         when Boom => Server_Got := True;
      end S;
   begin
      S.E;
      pragma Assert (False);
   exception
      when Boom => Caller_Got := True;
   end;
   pragma Assert (Caller_Got and Server_Got);
end Hazard_01_Exception_Reaches_Both;
