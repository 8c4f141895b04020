--  expect: program-error, dead-entry
--  The right operand of a barrier fails as soon as it is looked at.
procedure Barrier_Raises_In_Turn is
   protected Gate is
      entry Wait;
      procedure Open;
   private
      Is_Open : Boolean := False;
      Zero : Integer := 0;
   end Gate;
   protected body Gate is
      entry Wait when Is_Open and then 1 / Zero > 0 is begin null; end Wait;
      procedure Open is begin Is_Open := True; end Open;
   end Gate;
   task Waiter;
   task body Waiter is
   begin
      Gate.Wait;
   end Waiter;
begin
   Gate.Open;
end Barrier_Raises_In_Turn;
