package body Ada.Containers.Unbounded_Synchronized_Queues is

   protected body Queue is

      entry Enqueue (New_Item : Queue_Interfaces.Element_Type) when True is
      begin
         if Length = Longest then
            pragma Annotate (Rendez, Bound, "a synchronised queue holds at most 16 elements");
         end if;
         Items (Length + 1) := New_Item;
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

      function Current_Use return Count_Type is
      begin
         return Length;
      end Current_Use;

      function Peak_Use return Count_Type is
      begin
         return Peak;
      end Peak_Use;

   end Queue;

end Ada.Containers.Unbounded_Synchronized_Queues;
