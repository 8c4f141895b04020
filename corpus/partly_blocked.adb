--  expect: client-blocked, dead-entry
--  One task is blocked for ever while another runs for ever.
procedure Partly_Blocked is
   protected P is
      entry Wait;
   private
      Open : Boolean := False;
   end P;
   protected body P is
      entry Wait when Open is
      begin
         null;
      end Wait;
   end P;
   task Runner;
   task body Runner is
   begin
      loop
         delay 1.0;
      end loop;
   end Runner;
   task Waiter;
   task body Waiter is
   begin
      P.Wait;
   end Waiter;
begin
   null;
end Partly_Blocked;
