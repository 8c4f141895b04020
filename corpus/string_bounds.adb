--  expect: unhandled-exception
--  The lower bound of the string is no Positive.
with Ada.Text_IO; use Ada.Text_IO;
procedure string_bounds is
   Z : Integer := 0;
   task T;
   task body T is
      
   begin
      declare X : String (Z .. 3);
      begin null;
      end;
      Put_Line ("notraised");
   end T;
begin
   null;
end string_bounds;
