package body Ada.Containers.Bounded_Priority_Queues is

   protected body Queue is

      entry Enqueue (New_Item : Queue_Interfaces.Element_Type) when Length < Capacity is
         Place : Natural := Length + 1;
      begin
         if Length = Longest then
            pragma Annotate (Rendez, Bound, "a synchronised queue holds at most 32 elements");
         end if;
         while Place > 1 and then
           Before (Get_Priority (New_Item), Get_Priority (Items (Place - 1)))
         loop
            Items (Place) := Items (Place - 1);
            Place := Place - 1;
         end loop;
         Items (Place) := New_Item;
         Length := Length + 1;
         if Length > Peak then
            Peak := Length;
         end if;
      end Enqueue;

      procedure Remove (Element : out Queue_Interfaces.Element_Type) is
      begin
         Element := Items (1);
         for I in 1 .. Length - 1 loop
            Items (I) := Items (I + 1);
         end loop;
         pragma Annotate (Rendez, Forget, Items (Length));
         Length := Length - 1;
      end Remove;

      entry Dequeue (Element : out Queue_Interfaces.Element_Type) when Length > 0 is
      begin
         Remove (Element);
      end Dequeue;

      procedure Dequeue_Only_High_Priority
        (At_Least : Queue_Priority;
         Element  : in out Queue_Interfaces.Element_Type;
         Success  : out Boolean)
      is
      begin
         Success := False;
         if Length > 0 and then not Before (At_Least, Get_Priority (Items (1))) then
            Remove (Element);
            Success := True;
         end if;
      end Dequeue_Only_High_Priority;

      function Current_Use return Count_Type is
      begin
         return Length;
      end Current_Use;

      function Peak_Use return Count_Type is
      begin
         return Peak;
      end Peak_Use;

   end Queue;

end Ada.Containers.Bounded_Priority_Queues;
