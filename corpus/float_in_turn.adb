--  expect: holds
--  Unfollowed objects that tasks read only, or use one after the other, do not race.
with Ada.Strings.Unbounded;
with Ada.Text_IO;
procedure Float_In_Turn is
   use Ada.Strings.Unbounded;
   Rate  : Float := 1.5;
   Name  : Unbounded_String := To_Unbounded_String ("x");
   Total : Float := 0.0;
   Last  : Float;
   protected Sum is
      procedure Add (X : Float);
      function Value return Float;
   private
      S : Float := 0.0;
   end Sum;
   protected body Sum is
      procedure Add (X : Float) is
      begin
         S := S + X;
      end Add;
      function Value return Float is (S);
   end Sum;
begin
   declare
      task T1 is
         entry Go;
      end T1;
      task T2;
      task body T1 is
         Mine : Float := Rate;
      begin
         Sum.Add (Mine * Rate);
         Ada.Text_IO.Put_Line (To_String (Name) & Float'Image (Rate));
         accept Go do
            Total := Total + Rate;
         end Go;
      end T1;
      task body T2 is
      begin
         Total := Rate;
         T1.Go;
         Sum.Add (Total);
         Ada.Text_IO.Put_Line (To_String (Name));
      end T2;
   begin
      null;
   end;
   Last := Total + Sum.Value;
   Ada.Text_IO.Put_Line (Float'Image (Last));
end Float_In_Turn;
