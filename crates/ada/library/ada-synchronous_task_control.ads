--  Model of the library unit: a suspension object is a protected object.
package Ada.Synchronous_Task_Control is
   type Suspension_Object is limited private;
   procedure Set_True (S : in out Suspension_Object);
   procedure Set_False (S : in out Suspension_Object);
   function Current_State (S : Suspension_Object) return Boolean;
   procedure Suspend_Until_True (S : in out Suspension_Object);
private
   protected type Suspension_Object is
      entry Suspend;
      procedure Set (To : Boolean);
      function State return Boolean;
   private
      entry Wait;
      Open : Boolean := False;
   end Suspension_Object;
end Ada.Synchronous_Task_Control;
