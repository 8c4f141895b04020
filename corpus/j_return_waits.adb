--  expect: holds
--  A return statement inside a block with tasks waits for them.
procedure J_Return_Waits is
   Done : Boolean := False;
   function F return Integer is
   begin
      declare
         task T;
         task body T is
         begin
            delay 0.1;
            Done := True;
         end T;
      begin
         return 1;
      end;
   end F;
   X : Integer;
begin
   X := F;
   pragma Assert (Done and X = 1);
end J_Return_Waits;
