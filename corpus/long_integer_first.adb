--  The first Long_Integer has no opposite.
--  expect: holds
procedure Long_Integer_First is
   Low : Long_Integer := Long_Integer'First;
begin
   if Low = -Long_Integer'Last then
      raise Program_Error;
   end if;
end Long_Integer_First;
