--  expect: server-idle
--  The call is requeued while somebody reads the object: it is served all the same.
procedure Requeue_While_Read is
   protected P is
      entry Wait;
      function Get return Integer;
   private
      Value : Integer := 1;
   end P;
   protected body P is
      entry Wait when Value > 0 is
      begin
         null;
      end Wait;
      function Get return Integer is (Value);
   end P;
   task T is
      entry B;
   end T;
   task body T is
   begin
      loop
         accept B do
            requeue P.Wait with abort;
         end B;
      end loop;
   end T;
   L : Integer;
   task Reader;
   task body Reader is
      K : Integer;
   begin
      K := P.Get;
   end Reader;
begin
   T.B;
   L := P.Get;
end Requeue_While_Read;
