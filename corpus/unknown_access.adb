--  expect: client-blocked?, dead-entry
--  What is written through an access value that is not followed may be any object of the type.
procedure Unknown_Access is
   protected Gate is
      entry Wait;
   end Gate;
   protected body Gate is
      entry Wait when False is
      begin
         null;
      end Wait;
   end Gate;
   type Ref is access all Integer;
   X : aliased Integer := 0;
   P : array (1 .. 300) of Ref;
begin
   P (1) := X'Access;
   P (1).all := 1;
   if X = 1 then
      Gate.Wait;
   end if;
end Unknown_Access;
