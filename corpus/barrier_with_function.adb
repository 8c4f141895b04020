--  expect: holds
--  A barrier that calls a function of the object and looks at an array.
procedure Barrier_With_Function is
   type Flags is array (1 .. 2) of Boolean;
   protected Join is
      procedure Done (I : Positive);
      entry Wait;
   private
      Arrived : Flags := (others => False);
   end Join;
   protected body Join is
      function All_Done return Boolean is
      begin
         return Arrived (1) and Arrived (2);
      end All_Done;
      procedure Done (I : Positive) is
      begin
         Arrived (I) := True;
      end Done;
      entry Wait when All_Done is
      begin
         null;
      end Wait;
   end Join;
   task type Worker (I : Positive);
   task body Worker is
   begin
      Join.Done (I);
   end Worker;
   A : Worker (1);
   B : Worker (2);
begin
   Join.Wait;
end Barrier_With_Function;
