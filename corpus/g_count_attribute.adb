--  expect: holds
--  'Count of a protected entry: nobody passes before three have come.
procedure G_Count_Attribute is
   protected Barrier is
      entry Wait;
   private
      Open : Boolean := False;
   end Barrier;
   protected body Barrier is
      entry Wait when Wait'Count = 3 or Open is
      begin
         Open := Wait'Count > 0;
      end Wait;
   end Barrier;
   task type Runner;
   task body Runner is
   begin
      Barrier.Wait;
   end Runner;
   A, B, C : Runner;
begin
   null;
end G_Count_Attribute;
