--  expect: holds
--  An operator that the program defines is called.
procedure User_Defined_Operator is
   type Level is range 0 .. 3;
   function "=" (A, B : Level) return Boolean is
   begin
      return not (A < B);
   end "=";
   L : Level := 1;
   task Server is
      entry Work;
   end Server;
   task body Server is
   begin
      accept Work;
   end Server;
begin
   L := L + 1;
   if L = 3 then
      null;
   else
      Server.Work;
   end if;
end User_Defined_Operator;
