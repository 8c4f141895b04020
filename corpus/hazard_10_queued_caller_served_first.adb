--  expect: holds
--  The end of a protected action serves queued callers before anybody else can enter.
procedure Hazard_10_Queued_Caller_Served_First is
   protected P is
      entry Wait (Late : Boolean);
      procedure Open;
      function Waiting return Natural;
   private
      Is_Open : Boolean := False;
      Opened_With_Waiter : Boolean := False;
   end P;
   protected body P is
      entry Wait (Late : Boolean) when Is_Open is
      begin
         pragma Assert (not (Late and Opened_With_Waiter));
         Is_Open := False;
         Opened_With_Waiter := False;
      end Wait;
      procedure Open is
      begin
         Opened_With_Waiter := Wait'Count > 0;
         Is_Open := True;
      end Open;
      function Waiting return Natural is (Wait'Count);
   end P;
   task C;
   task body C is
   begin
      P.Wait (False);
   end C;
begin
   while P.Waiting = 0 loop
      delay 0.01;
   end loop;
   P.Open;
   select
      P.Wait (True);
   or
      delay 0.1;
   end select;
end Hazard_10_Queued_Caller_Served_First;
