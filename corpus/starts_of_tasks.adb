--  expect: at_once
--  property: starts_of_tasks.qre
--
--  Something else may happen between an event and the start of a task that follows it.
procedure Starts_Of_Tasks is
   task Other;
   task body Other is
   begin
      --@ event other
      null;
   end Other;
begin
   --@ event ready
   null;
   declare
      task Worker;
      task body Worker is
      begin
         null;
      end Worker;
   begin
      null;
   end;
end Starts_Of_Tasks;
