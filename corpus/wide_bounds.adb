--  expect: holds
--  A range with more values than a number can count.
procedure Wide_Bounds is
   type Index is range -2 ** 62 .. 2 ** 62;
   type Flags is array (Index) of Boolean;
   type Ref is access Flags;
   R : Ref;
begin
   if R = null and Flags'Length > 5 then
      null;
   else
      raise Program_Error;
   end if;
end Wide_Bounds;
