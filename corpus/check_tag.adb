--  expect: tasking-error?, unhandled-exception?
--  options: --checks may-fail
--  An access value to another type of the class: not followed, but possible.
procedure Check_Tag is
   task Server is entry Go; end Server;
   task body Server is
      type T is tagged null record;
      type U is new T with null record;
      type To_T is access all T'Class;
      type To_U is access all U;
      X : aliased T;
      V : To_T := X'Access;
      W : To_U;
   begin
      W := To_U (V);
      accept Go;
   end Server;
begin
   Server.Go;
exception
   when Tasking_Error => null;
end Check_Tag;
