--  expect: assertion?, unhandled-exception?
--  Arrays with dynamic bounds, access to arrays, new with initial value.
procedure Array_Of_Dynamic_Size is
   Done : exception;
   type V is array (Positive range <>) of Integer;
   type VR is access V;
   N : Integer := 2;
   P, Q : VR;
   S : Integer := 0;
begin
   N := N + 1;
   declare
      A : V (1 .. N) := (others => 2);
   begin
      A (N) := 5;
      for I in A'Range loop S := S + A (I); end loop;
      pragma Assert (S = 9 and A'Length = 3);
   end;
   P := new V'(1, 2, 3);
   Q := P;
   Q (2) := 7;
   pragma Assert (P (2) = 7 and P'Length = 3);
   P.all := (others => 4);
   pragma Assert (Q (3) = 4);
   P := new V (1 .. N);
   P (1) := 1;
   pragma Assert (Q (1) = 4);
   raise Done;
end Array_Of_Dynamic_Size;
