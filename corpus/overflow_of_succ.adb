--  expect: unhandled-exception
--  Nothing depends on the successor of the largest integer, but there is none.
procedure Overflow_Of_Succ is
   task T;
   task body T is
      X : Integer := Integer'Last;
   begin
      X := Integer'Succ (X);
   end T;
begin
   null;
end Overflow_Of_Succ;
