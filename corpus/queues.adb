--  expect: holds
with Ada.Containers.Synchronized_Queue_Interfaces;
with Ada.Containers.Bounded_Synchronized_Queues;
procedure Queues is
   package Int_Interfaces is new Ada.Containers.Synchronized_Queue_Interfaces (Element_Type => Integer);
   package Int_Queues is new Ada.Containers.Bounded_Synchronized_Queues
     (Queue_Interfaces => Int_Interfaces, Default_Capacity => 2);
   Q : Int_Queues.Queue;
   task Producer;
   task body Producer is
   begin
      for I in 1 .. 4 loop
         Q.Enqueue (I);
      end loop;
   end Producer;
   X : Integer;
begin
   for I in 1 .. 4 loop
      Q.Dequeue (X);
      pragma Assert (X = I);
   end loop;
   pragma Assert (Integer (Q.Current_Use) = 0);
end Queues;
