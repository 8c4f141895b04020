--  An annotation behind the last statement of a sequence belongs to that sequence, whatever follows.
--  property: annotation_at_the_end.qre
--  expect: not_in_the_other, called_or_not
with Ada.Numerics.Discrete_Random;
procedure Annotation_At_The_End is
   package Random is new Ada.Numerics.Discrete_Random (Boolean);
   G : Random.Generator;
   B : Boolean;
   X : Integer := 0;
   task S is
      entry E;
      entry F;
   end S;
   task body S is
   begin
      select
         accept E;
         --@ event served
      or
         accept F do
            null;
            --@ event in_f
         end F;
      or
         delay 5.0;
         --@ event late
      end select;
   end S;
   protected P is
      procedure Q;
      entry W;
   private
      N : Integer := 0;
   end P;
   protected body P is
      procedure Q is
      begin
         N := N + 1;
         --@ event q
      end Q;
      entry W when N > 0 is
      begin
         null;
         --@ event w
      end W;
   end P;
begin
   P.Q;
   B := Random.Random (G);
   case B is
      when True =>
         X := 1;
         --@ event chosen
      when False =>
         --@ event other
         X := 2;
   end case;
   begin
      --@ event begun
      raise Program_Error;
   exception
      when Program_Error =>
         X := 3;
         --@ event handled
      when others =>
         X := 4;
         --@ event unknown
   end;
   P.W;
   select
      S.E;
      --@ event called
   else
      X := 5;
      --@ event refused
   end select;
end Annotation_At_The_End;
