--  expect: client-blocked, dead-entry
--  options: --trace full
--  trace: Result := 3
--  A variable may have any name: it is shown in the trace.
procedure Names_Of_Variables is
   protected Gate is
      procedure Set (Left : Integer);
      entry Wait;
   private
      Last : Integer := 0;
   end Gate;
   protected body Gate is
      procedure Set (Left : Integer) is
      begin
         Last := Left;
      end Set;
      entry Wait when Last = 4 is
      begin
         null;
      end Wait;
   end Gate;
   Result : Integer := 2;
begin
   Result := Result + 1;
   Gate.Set (Result);
   Gate.Wait;
end Names_Of_Variables;
