--  expect: unhandled-exception
--
--  The access value is null: Constraint_Error.
procedure Abort_Of_Null is
   task type Worker is
      entry Go;
   end Worker;
   task body Worker is
   begin
      select
         accept Go;
      or
         terminate;
      end select;
   end Worker;
   type Pointer is access Worker;
   Nobody : Pointer;
begin
   abort Nobody.all;
end Abort_Of_Null;
