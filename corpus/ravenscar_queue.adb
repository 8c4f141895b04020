--  expect: program-error
--  Under the Ravenscar profile only one task may wait at an entry.
pragma Profile (Ravenscar);

package Things is
   protected Gate is
      entry Pass;
      procedure Open;
   private
      Is_Open : Boolean := False;
   end Gate;
   task type Walker;
   A, B : Walker;
end Things;

package body Things is
   protected body Gate is
      entry Pass when Is_Open is
      begin
         null;
      end Pass;

      procedure Open is
      begin
         Is_Open := True;
      end Open;
   end Gate;

   task body Walker is
   begin
      Gate.Pass;
   end Walker;
end Things;

with Things;
procedure Ravenscar_Queue is
begin
   Things.Gate.Open;
end Ravenscar_Queue;
