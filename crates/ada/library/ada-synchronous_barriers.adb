package body Ada.Synchronous_Barriers is

   protected body Synchronous_Barrier is
      entry Wait (Notified : out Boolean) when Leaving or else Wait'Count = Release_Threshold is
      begin
         --  Exactly one of the group is notified.
         Notified := not Leaving;
         Leaving := Wait'Count > 0;
      end Wait;
   end Synchronous_Barrier;

   procedure Wait_For_Release (The_Barrier : in out Synchronous_Barrier; Notified : out Boolean) is
   begin
      The_Barrier.Wait (Notified);
   end Wait_For_Release;

end Ada.Synchronous_Barriers;
