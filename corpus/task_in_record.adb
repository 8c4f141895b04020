--  expect: holds
--  A task as a component of a record, in an array.
procedure Task_In_Record is
   task type Worker is
      entry Go;
   end Worker;
   type Slot is limited record
      Id : Integer := 0;
      W : Worker;
   end record;
   Slots : array (1 .. 2) of Slot;
   task body Worker is
   begin
      accept Go;
   end Worker;
begin
   for I in Slots'Range loop
      Slots (I).Id := I;
      Slots (I).W.Go;
   end loop;
end Task_In_Record;
