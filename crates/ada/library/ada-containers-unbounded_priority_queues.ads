--  Model of the library unit. An execution with longer queues is not followed.
with System;
with Ada.Containers.Synchronized_Queue_Interfaces;
generic
   with package Queue_Interfaces is new Ada.Containers.Synchronized_Queue_Interfaces (<>);
   type Queue_Priority is private;
   with function Get_Priority (Element : Queue_Interfaces.Element_Type) return Queue_Priority is <>;
   with function Before (Left, Right : Queue_Priority) return Boolean is <>;
   Default_Ceiling : System.Any_Priority := System.Priority'Last;
package Ada.Containers.Unbounded_Priority_Queues is
   subtype Count_Type is Natural;
   Longest : constant := 16;
   type Store is array (1 .. Longest) of Queue_Interfaces.Element_Type;

   protected type Queue (Ceiling : System.Any_Priority := Default_Ceiling) is
      entry Enqueue (New_Item : Queue_Interfaces.Element_Type);
      entry Dequeue (Element : out Queue_Interfaces.Element_Type);
      procedure Dequeue_Only_High_Priority
        (At_Least : Queue_Priority;
         Element  : in out Queue_Interfaces.Element_Type;
         Success  : out Boolean);
      function Current_Use return Count_Type;
      function Peak_Use return Count_Type;
   private
      procedure Remove (Element : out Queue_Interfaces.Element_Type);
      Items : Store;
      Length : Natural := 0;
      Peak : Natural := 0;
   end Queue;
end Ada.Containers.Unbounded_Priority_Queues;
