--  expect: race
--
--  The index of the family is read when the call is requeued.
procedure Race_On_A_Requeued_Index is
   Which : Integer := 1;
   protected Gate is
      entry Family (1 .. 3);
      entry First;
   end Gate;
   protected body Gate is
      entry Family (for I in 1 .. 3) when True is
      begin
         null;
      end Family;
      entry First when True is
      begin
         requeue Family (Which);
      end First;
   end Gate;
   task Writer;
   task body Writer is
   begin
      Which := 2;
   end Writer;
begin
   Gate.First;
end Race_On_A_Requeued_Index;
