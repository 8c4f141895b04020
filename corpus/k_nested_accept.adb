--  expect: holds
--  An accept within an accept: two partners at once.
procedure K_Nested_Accept is
   task Exchange is
      entry Left (X : in out Integer);
      entry Right (Y : in out Integer);
   end Exchange;
   task body Exchange is
      T : Integer;
   begin
      accept Left (X : in out Integer) do
         accept Right (Y : in out Integer) do
            T := X;
            X := Y;
            Y := T;
         end Right;
      end Left;
   end Exchange;
   task Other;
   task body Other is
      V : Integer := 2;
   begin
      Exchange.Right (V);
      pragma Assert (V = 1);
   end Other;
   V : Integer := 1;
begin
   Exchange.Left (V);
   pragma Assert (V = 2);
end K_Nested_Accept;
