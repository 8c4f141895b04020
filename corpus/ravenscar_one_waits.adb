--  expect: holds
--  One task may wait at an entry under the Ravenscar profile.
pragma Profile (Ravenscar);

package Single_Walker is
   protected Gate is
      entry Pass;
      procedure Open;
   private
      Is_Open : Boolean := False;
   end Gate;
   task Walker;
end Single_Walker;

package body Single_Walker is
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
end Single_Walker;

with Single_Walker;
procedure Ravenscar_One_Waits is
begin
   Single_Walker.Gate.Open;
end Ravenscar_One_Waits;
