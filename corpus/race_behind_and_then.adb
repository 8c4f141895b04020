--  expect: race?
--
--  Whether a race is certain: a short circuit skips the only access of the task.
procedure Race_Behind_And_Then is
   X : Integer := 0;
   task type Worker (Reads : Boolean);
   task body Worker is
      Mine  : Boolean := Reads;
      Count : Integer := 0;
   begin
      Mine := Mine and not Mine;
      if Mine and then X = 1 then
         Count := 1;
      end if;
   end Worker;
   A : Worker (True);
begin
   X := 2;
end Race_Behind_And_Then;
