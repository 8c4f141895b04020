--  Model of the library unit: the last of a group to arrive opens the barrier for all of it.
package Ada.Synchronous_Barriers is
   subtype Barrier_Limit is Positive;
   type Synchronous_Barrier (Release_Threshold : Barrier_Limit) is limited private;
   procedure Wait_For_Release (The_Barrier : in out Synchronous_Barrier; Notified : out Boolean);
private
   protected type Synchronous_Barrier (Release_Threshold : Barrier_Limit) is
      entry Wait (Notified : out Boolean);
   private
      Leaving : Boolean := False;
   end Synchronous_Barrier;
end Ada.Synchronous_Barriers;
