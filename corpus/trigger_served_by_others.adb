--  expect: assertion
--  The abortable part may go on for a while after another task has served its trigger.
procedure Trigger_Served_By_Others is
   protected P is
      entry Wait;
      procedure Open;
      function Served return Boolean;
   private
      Is_Open : Boolean := False;
      Done : Boolean := False;
   end P;
   protected body P is
      entry Wait when Is_Open is
      begin
         Done := True;
      end Wait;
      procedure Open is
      begin
         Is_Open := True;
      end Open;
      function Served return Boolean is (Done);
   end P;
   task Opener;
   task body Opener is
   begin
      P.Open;
   end Opener;
   N : Integer := 0;
begin
   select
      P.Wait;
   then abort
      for I in 1 .. 3 loop
         N := N + 1;
         pragma Assert (not P.Served);
      end loop;
   end select;
end Trigger_Served_By_Others;
