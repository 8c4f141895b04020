--  expect: holds
--  A protected entry requeues to a task entry, the task requeues to a family member of another protected object.
procedure Requeue_Through_A_Task is
   task Mid is entry E (X : Integer); end Mid;
   protected Last is
      entry F (1 .. 2) (X : Integer);
      procedure Open (I : Integer);
      function Sum return Integer;
   private
      O : Integer := 0;
      S : Integer := 0;
   end Last;
   protected First is
      entry E (X : Integer);
   end First;
   protected body First is
      entry E (X : Integer) when True is
      begin
         requeue Mid.E with abort;
      end E;
   end First;
   protected body Last is
      entry F (for I in 1 .. 2) (X : Integer) when O = I is
      begin
         S := S + X * I;
      end F;
      procedure Open (I : Integer) is begin O := I; end Open;
      function Sum return Integer is (S);
   end Last;
   task body Mid is
   begin
      accept E (X : Integer) do
         requeue Last.F (X);
      end E;
      Last.Open (2);
   end Mid;
begin
   First.E (2);
   pragma Assert (Last.Sum = 4);
end Requeue_Through_A_Task;
