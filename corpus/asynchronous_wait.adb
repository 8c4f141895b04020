--  expect: client-blocked, dead-entry
--  An abortable part that waits for its dependents already is not left before they have ended.
procedure Asynchronous_Wait is
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
      null;
   end Work;
begin
   select
      delay 0.01;
   then abort
      Work;
   end select;
end Asynchronous_Wait;
