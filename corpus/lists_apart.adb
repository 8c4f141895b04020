--  expect: race?
--  Objects that different tasks allocate are not always told apart: what one of them writes may be what the other writes.
procedure Lists_Apart is
   type Node;
   type Link is access Node;
   type Node is record
      Value : Integer;
      Next  : Link;
   end record;
   task type Builder;
   task body Builder is
      Head : Link;
   begin
      for I in 1 .. 70 loop
         Head := new Node'(I, Head);
         Head.Value := Head.Value + 1;
      end loop;
   end Builder;
   A, B : Builder;
begin
   null;
end Lists_Apart;
