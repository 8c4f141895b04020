--  expect: client-blocked
--  The second call opens the barrier for the first one, and closes it for itself: the entry is served once.
procedure Count_Lets_One_Pass is
   protected B is
      entry Sync;
   end B;
   protected body B is
      entry Sync when Sync'Count = 2 is
      begin
         null;
      end Sync;
   end B;
   task type T;
   task body T is
   begin
      B.Sync;
   end T;
   X, Y : T;
begin
   null;
end Count_Lets_One_Pass;
