--  expect: holds
--  The triggering call ends with an exception: it is raised at the select once the abortable part has left its protected action.
procedure Trigger_Raises is
   Failure : exception;
   protected Signal is
      entry Wait;
      procedure Send;
   private
      Sent : Boolean := False;
   end Signal;
   protected body Signal is
      entry Wait when Sent is
      begin
         raise Failure;
      end Wait;
      procedure Send is
      begin
         Sent := True;
      end Send;
   end Signal;
   protected Data is
      procedure Change;
      function Sum return Integer;
   private
      A, B : Integer := 0;
   end Data;
   protected body Data is
      procedure Change is
      begin
         A := 1;
         B := 1;
      end Change;
      function Sum return Integer is (A + B);
   end Data;
   task Sender;
   task body Sender is
   begin
      Signal.Send;
   end Sender;
begin
   begin
      select
         Signal.Wait;
         pragma Assert (False);
      then abort
         Data.Change;
         delay 10.0;
      end select;
   exception
      when Failure => null;
   end;
   pragma Assert (Data.Sum /= 1);
end Trigger_Raises;
