--  expect: holds
--  trace: an address clause makes no two variables share memory
--  conformance: the two variables are one
--  The aspect is as good as the clause.
procedure Address_Aspect is
   X : aliased Integer := 0;
   Q : Integer with Address => X'Address;
   task T;
   task body T is
   begin
      Q := 1;
   end T;
begin
   X := 2;
end Address_Aspect;
