--  expect: holds
--  An entry call as trigger ends a loop without end.
procedure Asynchronous_Call is
   protected Stop is
      entry Wait;
      procedure Set;
   private
      Done : Boolean := False;
   end Stop;
   protected body Stop is
      entry Wait when Done is
      begin
         null;
      end Wait;
      procedure Set is
      begin
         Done := True;
      end Set;
   end Stop;
   task Worker;
   task body Worker is
   begin
      select
         Stop.Wait;
      then abort
         loop
            delay 0.1;
         end loop;
      end select;
   end Worker;
begin
   Stop.Set;
end Asynchronous_Call;
