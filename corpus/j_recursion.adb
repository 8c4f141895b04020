--  expect: holds
--  Recursion with a stated bound; the values come out right.
procedure J_Recursion is
   function Factorial (N : Natural) return Natural is
   begin
      if N = 0 then
         return 1;
      end if;
      return N * Factorial (N - 1);
   end Factorial;
   task T is
      entry Check (X : Natural);
   end T;
   task body T is
   begin
      accept Check (X : Natural) do
         pragma Assert (X = 24);
      end Check;
   end T;
begin
   T.Check (Factorial (4));
end J_Recursion;
