--  Model of the library unit.
generic
   type Element_Type is private;
package Ada.Containers.Synchronized_Queue_Interfaces is
   type Queue is synchronized interface;
   procedure Enqueue (Container : in out Queue; New_Item : Element_Type) is abstract;
   procedure Dequeue (Container : in out Queue; Element : out Element_Type) is abstract;
end Ada.Containers.Synchronized_Queue_Interfaces;
