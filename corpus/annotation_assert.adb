--  expect: assertion, race
--  trace: fails an assertion
--  Assertions and events in comments.
procedure Annotation_Assert is
   X : Integer := 0;
   pragma Atomic (X);
   task T;
   task body T is
   begin
      --@ event start
      X := 1;
   end T;
begin
   --@ assert X = 0
   null;
end Annotation_Assert;
