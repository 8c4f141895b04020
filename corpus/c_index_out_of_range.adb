--  expect: unhandled-exception
--  A computed index that leaves the array raises Constraint_Error.
procedure C_Index_Out_Of_Range is
   protected type Cell is
      procedure Set;
   end Cell;
   protected body Cell is
      procedure Set is
      begin
         null;
      end Set;
   end Cell;
   Cells : array (1 .. 3) of Cell;
   Next : Integer := 1;
begin
   for I in 1 .. 4 loop
      Cells (Next).Set;
      Next := Next + 1;
   end loop;
end C_Index_Out_Of_Range;
