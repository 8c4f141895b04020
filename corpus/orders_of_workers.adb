--  expect: wab
--  property: orders_of_workers.qre
--  options: --engine reach
--
--  Allocated tasks may do their work after the main program has gone on.
procedure Orders_Of_Workers is
   task type Worker is
      entry Start;
   end Worker;
   type Ref is access Worker;
   task body Worker is
   begin
      accept Start;
      --@ event worked
      null;
   end Worker;
   A, B : Ref;
begin
   A := new Worker;
   B := new Worker;
   A.Start;
   --@ event started_a
   B.Start;
   --@ event started_b
   null;
   declare
      task Inner;
      task body Inner is
      begin
         --@ event inner
         null;
      end Inner;
   begin
      --@ event in_block
      null;
   end;
   --@ event after_block
   null;
end Orders_Of_Workers;
