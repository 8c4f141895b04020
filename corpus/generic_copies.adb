--  expect: holds
--  A formal object of mode in keeps the value that the actual had: later it is not read again.
procedure Generic_Copies is
   X : Integer := 0;
   generic
      N : Integer;
   procedure Use_It;
   procedure Use_It is
      Y : Integer;
   begin
      Y := N;
      pragma Assert (Y = 0);
   end Use_It;
   procedure P is new Use_It (X);
   task T1;
   task T2;
   task body T1 is
   begin
      X := 1;
   end T1;
   task body T2 is
   begin
      P;
   end T2;
begin
   null;
end Generic_Copies;
