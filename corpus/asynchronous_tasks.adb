--  expect: dead-entry
--  Tasks that depend on an abortable part are aborted when it is left, and waited for.
procedure Asynchronous_Tasks is
   protected Gate is
      entry Wait;
   end Gate;
   protected body Gate is
      entry Wait when False is
      begin
         null;
      end Wait;
   end Gate;
   procedure Work is
      task Helper;
      task body Helper is
      begin
         Gate.Wait;
      end Helper;
   begin
      Gate.Wait;
   end Work;
begin
   select
      delay 0.01;
   then abort
      Work;
   end select;
end Asynchronous_Tasks;
