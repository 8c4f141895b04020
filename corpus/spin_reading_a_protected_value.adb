--  The loop looks at a variable that nobody changes; reading a protected value meanwhile is no progress.
--  expect: spin
procedure Spin_Reading_A_Protected_Value is
   X : Integer range 0 .. 2 := 0;
   pragma Atomic (X);
   protected P is
      function Get return Integer;
      entry Wait;
      procedure Open_Up;
   private
      Value : Integer := 1;
      Open  : Boolean := False;
   end P;
   protected body P is
      function Get return Integer is (Value);
      entry Wait when Open is
      begin
         null;
      end Wait;
      procedure Open_Up is
      begin
         Open := True;
      end Open_Up;
   end P;
   task T;
   task body T is
   begin
      P.Wait;
      if X = 1 then
         X := 2;
      end if;
   end T;
   L : Integer := 0;
begin
   P.Open_Up;
   loop
      L := P.Get;
      exit when X > 0;
   end loop;
end Spin_Reading_A_Protected_Value;
