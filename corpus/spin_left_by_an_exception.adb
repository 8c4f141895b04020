--  expect: spin, unhandled-exception, race
--  The branch in Help decides whether the loop around its call goes on: the only other way is an exception, which is
--  past once X has changed.
procedure Spin_Left_By_An_Exception is
   X : Integer range 0 .. 2 := 0;
   pragma Volatile (X);

   procedure Help is
   begin
      if X = 0 then
         raise Constraint_Error;
      end if;
   end Help;

   task Watcher;

   task body Watcher is
   begin
      loop
         Help;
      end loop;
   end Watcher;
begin
   X := 1;
end Spin_Left_By_An_Exception;
