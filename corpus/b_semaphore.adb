--  expect: holds
--  A binary semaphore as a protected type keeps two tasks apart.
procedure B_Semaphore is
   protected type Semaphore is
      entry Wait;
      procedure Signal;
   private
      Free : Boolean := True;
   end Semaphore;
   protected body Semaphore is
      entry Wait when Free is
      begin
         Free := False;
      end Wait;
      procedure Signal is
      begin
         Free := True;
      end Signal;
   end Semaphore;
   S : Semaphore;
   Inside : Integer := 0;
   task type Worker;
   task body Worker is
   begin
      for I in 1 .. 2 loop
         S.Wait;
         Inside := Inside + 1;
         pragma Assert (Inside = 1);
         Inside := Inside - 1;
         S.Signal;
      end loop;
   end Worker;
   A, B : Worker;
begin
   null;
end B_Semaphore;
