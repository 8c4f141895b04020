--  expect: client-blocked
--  An allocator whose number of evaluations is not static: no execution meets the bound on tasks.
procedure G_Allocator_In_Loop is
   protected Gate is
      entry Pass;
   private
      Left : Natural := 1;
   end Gate;
   protected body Gate is
      entry Pass when Left > 0 is
      begin
         Left := Left - 1;
      end Pass;
   end Gate;
   task type Walker;
   task body Walker is
   begin
      Gate.Pass;
   end Walker;
   type Ref is access Walker;
   R : Ref;
   N : Natural := 0;
begin
   loop
      R := new Walker;
      N := N + 1;
      exit when N = 2;
   end loop;
end G_Allocator_In_Loop;
