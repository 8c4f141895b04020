--  expect: unhandled-exception
--  Activating a task whose body is not elaborated yet raises Program_Error.
procedure Task_Before_Its_Body is
   task type T;
   type T_Access is access T;
   function Make return T_Access is (new T);
   X : T_Access := new T;
   task body T is
   begin
      null;
   end T;
begin
   null;
end Task_Before_Its_Body;
