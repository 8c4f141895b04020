--  The most urgent element comes first; the queue keeps the order of arrival otherwise.
--  expect: holds
with Ada.Containers.Synchronized_Queue_Interfaces;
with Ada.Containers.Unbounded_Priority_Queues;
procedure Priority_Queue is
   package Interfaces is new Ada.Containers.Synchronized_Queue_Interfaces (Integer);
   function Urgency (Element : Integer) return Integer is (Element);
   function Before (Left, Right : Integer) return Boolean is (Left > Right);
   package Queues is new Ada.Containers.Unbounded_Priority_Queues
     (Queue_Interfaces => Interfaces, Queue_Priority => Integer, Get_Priority => Urgency, Before => Before);
   Q : Queues.Queue;
   task Late;
   task body Late is
   begin
      Q.Enqueue (2);
   end Late;
   A, B : Integer;
begin
   Q.Enqueue (1);
   Q.Enqueue (3);
   Q.Dequeue (A);
   Q.Dequeue (B);
   pragma Assert (A = 3);
   pragma Assert (B in 1 .. 2);
end Priority_Queue;
