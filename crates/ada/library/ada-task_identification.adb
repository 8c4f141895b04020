package body Ada.Task_Identification is

   function Image (T : Task_Id) return String is
   begin
      return "";
   end Image;

   function Current_Task return Task_Id is (Rendez_Model.Self);

   function Environment_Task return Task_Id is (0);

   procedure Abort_Task (T : Task_Id) is
   begin
      if T = Null_Task_Id then
         raise Program_Error;
      end if;
      Rendez_Model.Abort_Task (T);
   end Abort_Task;

   function Is_Terminated (T : Task_Id) return Boolean is
   begin
      if T = Null_Task_Id then
         raise Program_Error;
      end if;
      return Rendez_Model.Is_Terminated (T);
   end Is_Terminated;

   function Is_Callable (T : Task_Id) return Boolean is
   begin
      if T = Null_Task_Id then
         raise Program_Error;
      end if;
      return Rendez_Model.Is_Callable (T);
   end Is_Callable;

   function Activation_Is_Complete (T : Task_Id) return Boolean is
   begin
      return Rendez_Model.Any_Boolean;
   end Activation_Is_Complete;

end Ada.Task_Identification;
