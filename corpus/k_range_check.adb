--  expect: unhandled-exception
--  A range check on a variable that decides nothing else still fails.
procedure K_Range_Check is
   subtype Small is Integer range 1 .. 3;
   X : Small := 1;
   task T;
   task body T is
   begin
      for I in 1 .. 3 loop
         X := X + 1;
      end loop;
   end T;
begin
   null;
end K_Range_Check;
