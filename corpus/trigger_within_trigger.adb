--  expect: holds
--  The outer trigger may be served when the inner asynchronous select is about to end: its call is withdrawn first.
procedure Trigger_Within_Trigger is
   protected P is
      entry W;
      entry V;
      procedure Open_W;
      procedure Open_V;
   private
      O, Q : Boolean := False;
   end P;
   protected body P is
      entry W when O is
      begin
         null;
      end W;
      entry V when Q is
      begin
         null;
      end V;
      procedure Open_W is
      begin
         O := True;
      end Open_W;
      procedure Open_V is
      begin
         Q := True;
      end Open_V;
   end P;
   task T;
   task body T is
   begin
      P.Open_W;
      P.Open_V;
   end T;
   X : Integer := 0;
begin
   select
      P.W;
   then abort
      select
         P.V;
      then abort
         X := 1;
      end select;
   end select;
end Trigger_Within_Trigger;
