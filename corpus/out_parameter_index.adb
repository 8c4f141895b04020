--  expect: holds
--  Which element an out parameter goes to is decided when the call is made.
procedure Out_Parameter_Index is
   A : array (1 .. 2) of Integer := (0, 0);
   I : Integer := 1;
   task T is
      entry E (X : out Integer);
   end T;
   task body T is
   begin
      accept E (X : out Integer) do
         I := 2;
         X := 5;
      end E;
   end T;
   procedure P (X : out Integer) is
   begin
      I := 1;
      X := 7;
   end P;
begin
   T.E (A (I));
   pragma Assert (A (1) = 5 and A (2) = 0);
   P (A (I));
   pragma Assert (A (1) = 5 and A (2) = 7);
end Out_Parameter_Index;
