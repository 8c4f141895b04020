--  expect: client-blocked, dead-entry
--  A function that is called for a slice of its result, in bounds, or as an argument of the library blocks.
with Ada.Containers.Vectors;
procedure Call_In_Slice is
   package Lists is new Ada.Containers.Vectors (Positive, Integer);
   protected P is
      entry Never;
   end P;
   protected body P is
      entry Never when False is
      begin
         null;
      end Never;
   end P;
   function F return Integer is
   begin
      P.Never;
      return 1;
   end F;
   function G return String is
   begin
      P.Never;
      return "abc";
   end G;
   L : Lists.Vector;
   task In_Bounds;
   task In_Argument;
   task body In_Bounds is
      S : String (1 .. 5) := "abcde";
      T : String (1 .. 2);
   begin
      T := S (F .. 2);
   end In_Bounds;
   task body In_Argument is
   begin
      L.Append (F);
   end In_Argument;
   S : String (1 .. 2);
begin
   S := G (1 .. 2);
end Call_In_Slice;
