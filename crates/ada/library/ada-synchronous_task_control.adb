package body Ada.Synchronous_Task_Control is

   protected body Suspension_Object is
      --  Only one task may wait: a second one gets Program_Error.
      entry Suspend when True is
      begin
         if Wait'Count > 0 then
            raise Program_Error;
         elsif Open then
            Open := False;
         else
            requeue Wait with abort;
         end if;
      end Suspend;

      entry Wait when Open is
      begin
         Open := False;
      end Wait;

      procedure Set (To : Boolean) is
      begin
         Open := To;
      end Set;

      function State return Boolean is
      begin
         return Open;
      end State;
   end Suspension_Object;

   procedure Set_True (S : in out Suspension_Object) is
   begin
      S.Set (True);
   end Set_True;

   procedure Set_False (S : in out Suspension_Object) is
   begin
      S.Set (False);
   end Set_False;

   function Current_State (S : Suspension_Object) return Boolean is
   begin
      return S.State;
   end Current_State;

   procedure Suspend_Until_True (S : in out Suspension_Object) is
   begin
      S.Suspend;
   end Suspend_Until_True;

end Ada.Synchronous_Task_Control;
