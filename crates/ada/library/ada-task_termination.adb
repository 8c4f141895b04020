package body Ada.Task_Termination is

   Last_Task : constant := 63;
   type Handlers is array (0 .. Last_Task) of Termination_Handler;

   protected Registry is
      procedure Set_Specific (T : Integer; Handler : Termination_Handler);
      procedure Set_Fallback (T : Integer; Handler : Termination_Handler);
      function Specific_Of (T : Integer) return Termination_Handler;
      function Fallback_Of (T : Integer) return Termination_Handler;
   private
      Specific : Handlers;
      Fallback : Handlers;
   end Registry;

   protected body Registry is
      procedure Set_Specific (T : Integer; Handler : Termination_Handler) is
      begin
         if T > Last_Task then
            pragma Annotate (Rendez, Bound, "termination handlers are followed for the first 64 tasks");
         end if;
         Specific (T) := Handler;
      end Set_Specific;

      procedure Set_Fallback (T : Integer; Handler : Termination_Handler) is
      begin
         if T > Last_Task then
            pragma Annotate (Rendez, Bound, "termination handlers are followed for the first 64 tasks");
         end if;
         Fallback (T) := Handler;
      end Set_Fallback;

      function Specific_Of (T : Integer) return Termination_Handler is
      begin
         if T > Last_Task then
            return null;
         end if;
         return Specific (T);
      end Specific_Of;

      function Fallback_Of (T : Integer) return Termination_Handler is
      begin
         if T > Last_Task then
            return null;
         end if;
         return Fallback (T);
      end Fallback_Of;
   end Registry;

   procedure Set_Dependents_Fallback_Handler (Handler : Termination_Handler) is
   begin
      Registry.Set_Fallback (Rendez_Model.Self, Handler);
   end Set_Dependents_Fallback_Handler;

   function Current_Task_Fallback_Handler return Termination_Handler is
   begin
      return Registry.Fallback_Of (Rendez_Model.Self);
   end Current_Task_Fallback_Handler;

   procedure Set_Specific_Handler
     (T : Ada.Task_Identification.Task_Id; Handler : Termination_Handler) is
   begin
      Registry.Set_Specific (Integer (T), Handler);
   end Set_Specific_Handler;

   function Specific_Handler (T : Ada.Task_Identification.Task_Id) return Termination_Handler is
   begin
      return Registry.Specific_Of (Integer (T));
   end Specific_Handler;

   --  The handler of the task itself, or the fallback of the nearest task it depends on.
   procedure Task_Ended is
      Handler : Termination_Handler := Registry.Specific_Of (Rendez_Model.Self);
      Outer   : Integer := Rendez_Model.Self;
      Cause   : Cause_Of_Termination;
      X       : Ada.Exceptions.Exception_Occurrence;
   begin
      while Handler = null and then Outer /= 0 loop
         Outer := Rendez_Model.Master_Of (Outer);
         Handler := Registry.Fallback_Of (Outer);
      end loop;
      if Handler /= null then
         pragma Annotate (Rendez, Forget, Cause);
         Handler.all (Cause, Ada.Task_Identification.Task_Id (Rendez_Model.Self), X);
      end if;
   exception
      when others =>
         null;
   end Task_Ended;

end Ada.Task_Termination;
