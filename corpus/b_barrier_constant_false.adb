--  expect: client-blocked, dead-entry
--  A barrier that can never open.
procedure B_Barrier_Constant_False is
   protected P is
      entry Never;
   end P;
   protected body P is
      entry Never when False is
      begin
         null;
      end Never;
   end P;
begin
   P.Never;
end B_Barrier_Constant_False;
