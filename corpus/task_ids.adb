--  expect: holds
with Ada.Task_Identification; use Ada.Task_Identification;
procedure Task_Ids is
   Main : constant Task_Id := Current_Task;
   task T is
      entry Who (Id : out Task_Id);
   end T;
   task body T is
   begin
      accept Who (Id : out Task_Id) do
         Id := Current_Task;
      end Who;
   end T;
   X : Task_Id;
begin
   T.Who (X);
   pragma Assert (X = T'Identity);
   pragma Assert (X /= Main);
   while not Is_Terminated (X) loop
      delay 0.0;
   end loop;
   pragma Assert (not Is_Callable (X));
end Task_Ids;
