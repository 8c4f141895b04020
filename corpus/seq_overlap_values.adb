--  Names by values: an assignment, a condition and the parameters of a rendezvous may fit several.
--  property: seq_overlap_values.qre
--  expect: below_1, below_2, not_two_1, not_two_2, looked_1, looked_2, sent_1, sent_2
procedure Seq_Overlap_Values is
   X : Integer range 0 .. 3 := 0;
   subtype Small is Integer range 0 .. 2;
   task Server is
      entry Send (A, B : Small);
   end Server;
   task body Server is
   begin
      accept Send (A, B : Small) do
         X := A + B;
      end Send;
      accept Send (A, B : Small) do
         X := A;
      end Send;
   end Server;
begin
   Server.Send (1, 2);
   if X = 3 then
      Server.Send (2, 2);
   else
      Server.Send (0, 0);
   end if;
   if X < 3 then
      X := 0;
   end if;
end Seq_Overlap_Values;
