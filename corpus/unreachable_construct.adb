--  expect: holds
--  A construct without a model does not matter where no execution reaches it.
procedure Unreachable_Construct is
   type Action is access procedure;
   A : Action;
   Debug : Boolean := False;
   task T is
      entry E;
   end T;
   task body T is
   begin
      accept E;
   end T;
begin
   if Debug then
      A.all;
   end if;
   T.E;
end Unreachable_Construct;
