--  expect: race
--  What a protected procedure gives back is copied when the protected action is over (RM 9.5.1): nothing orders the two.
procedure Out_Of_Protected_Race is
   G : Integer := 0;
   protected P is
      procedure Get (X : out Integer);
      procedure Set;
   end P;
   protected body P is
      procedure Get (X : out Integer) is
      begin
         X := 1;
      end Get;
      procedure Set is
      begin
         G := 3;
      end Set;
   end P;
   task T;
   task body T is
   begin
      P.Get (G);
   end T;
begin
   P.Set;
end Out_Of_Protected_Race;
