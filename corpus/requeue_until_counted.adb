--  expect: holds
--  The call comes back to the entry until it was counted often enough.
procedure Requeue_Until_Counted is
   protected P is
      entry A;
   private
      N : Natural := 0;
   end P;
   protected body P is
      entry A when True is
      begin
         if N < 3 then
            N := N + 1;
            requeue A;
         end if;
      end A;
   end P;
   task Caller;
   task body Caller is
   begin
      P.A;
   end Caller;
begin
   null;
end Requeue_Until_Counted;
