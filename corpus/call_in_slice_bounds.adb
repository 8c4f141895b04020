--  expect: client-blocked, dead-entry
--  Entry call in slice bounds.
procedure Call_In_Slice_Bounds is
   protected P is entry Never; end P;
   protected body P is entry Never when False is begin null; end Never; end P;
   function F return Integer is begin P.Never; return 1; end F;
   S : String (1 .. 5) := "abcde";
   T : String (1 .. 2);
begin
   T := S (F .. 2);
end Call_In_Slice_Bounds;
