--  expect: program-error, dead-entry
--  A requeue to another object ends the action in the first one, where a barrier then raises an exception.
procedure Requeue_Elsewhere_Fails is
   type Flags is array (1 .. 2) of Boolean;
   protected Second is
      entry Pass;
   end Second;
   protected body Second is
      entry Pass when True is
      begin
         null;
      end Pass;
   end Second;
   protected First is
      entry Wait;
      entry Ready;
      entry Spoil;
   private
      At_Flag : Integer := 1;
      Flag : Flags := (False, False);
   end First;
   protected body First is
      entry Wait when Flag (At_Flag) is
      begin
         null;
      end Wait;
      entry Ready when Wait'Count = 1 is
      begin
         null;
      end Ready;
      entry Spoil when True is
      begin
         At_Flag := 3;
         requeue Second.Pass;
      end Spoil;
   end First;
   task Waiter;
   task body Waiter is
   begin
      First.Wait;
   exception
      when Program_Error => null;
   end Waiter;
begin
   First.Ready;
   First.Spoil;
end Requeue_Elsewhere_Fails;
