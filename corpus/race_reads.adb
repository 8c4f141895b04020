--  expect: race
--  What a library call, a delay, 'Image, a conversion, a bound or a message looks at is read.
with Ada.Text_IO; use Ada.Text_IO;
procedure Race_Reads is
   type Bits is mod 16;
   A, B, C, D, E, F, G, H : Integer := 1;
   M : Bits := 1;
   task Writer;
   task Reader;
   task body Writer is
   begin
      A := 2;
      B := 2;
      C := 2;
      D := 2;
      E := 2;
      F := 2;
      G := 2;
      H := 2;
      M := 2;
   end Writer;
   task body Reader is
      N : Bits := 3;
      Y : Float;
      X : Integer;
   begin
      Put_Line (Integer'Image (A));
      Put_Line (B'Image);
      Y := Float (C);
      delay Duration (D);
      declare
         V : array (1 .. E) of Integer;
      begin
         V (1) := 0;
      end;
      X := 2 ** F;
      N := N and M;
      if G = 1 then
         raise Program_Error with "it is" & Integer'Image (H);
      end if;
   exception
      when others =>
         null;
   end Reader;
begin
   null;
end Race_Reads;
