--  Model of the library unit.
with System;
with Ada.Containers.Synchronized_Queue_Interfaces;
generic
   with package Queue_Interfaces is new Ada.Containers.Synchronized_Queue_Interfaces (<>);
   Default_Capacity : Natural;
   Default_Ceiling : System.Any_Priority := System.Priority'Last;
package Ada.Containers.Bounded_Synchronized_Queues is
   subtype Count_Type is Natural;
   Longest : constant := 32;
   type Store is array (1 .. Longest) of Queue_Interfaces.Element_Type;

   protected type Queue (Capacity : Count_Type := Default_Capacity; Ceiling : System.Any_Priority := Default_Ceiling) is
      entry Enqueue (New_Item : Queue_Interfaces.Element_Type);
      entry Dequeue (Element : out Queue_Interfaces.Element_Type);
      function Current_Use return Count_Type;
      function Peak_Use return Count_Type;
   private
      procedure Remove (Element : out Queue_Interfaces.Element_Type);
      Items : Store;
      Length : Natural := 0;
      Peak : Natural := 0;
   end Queue;
end Ada.Containers.Bounded_Synchronized_Queues;
