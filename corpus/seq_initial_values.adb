--  What an object is given where it is declared is its first value, no assignment, whatever its type.
--  property: seq_initial_values.qre
--  expect: k_once, z_once, w_once, h_once
procedure Seq_Initial_Values is
   type Rec is record
      A, B : Integer := 7;
   end record;
   type Arr is array (1 .. 2) of Integer;
   K : Integer := 3;
   function F (X : Integer) return Integer is
   begin
      return X + K;
   end F;
   function G (X : Integer) return Rec is
   begin
      return (X, X);
   end G;
   R : Rec := (0, 0);
   D : Rec;
   V : Arr := (others => 0);
   Q : Rec := R;
   L : Integer := K;
   M : Integer := F (2);
   N : Rec := G (2);
   protected P is
      procedure Set;
   private
      I : Arr := (1, 2);
      J : Integer := K;
   end P;
   protected body P is
      procedure Set is
      begin
         I (1) := I (1) + 1;
      end Set;
   end P;
   task T;
   task body T is
      Z : Integer := K;
      W : Arr := (1, 2);
   begin
      Z := Z + 5;
      W (1) := Z;
   end T;
begin
   P.Set;
   declare
      H : Integer := L + M + N.A + Q.A + V (1) + D.A + R.A;
   begin
      H := H + 1;
   end;
   K := 4;
end Seq_Initial_Values;
