--  Both ends of a scope are the same event: each occurrence closes one stretch and opens the next.
--  property: seq_same_ends.qre
--  expect: between, after, two_names
procedure Seq_Same_Ends is
   task F is entry Open; entry Close; end F;
   task body F is
   begin
      loop
         select accept Open; or accept Close; or terminate; end select;
      end loop;
   end F;
begin
   F.Open;
   F.Close;
   F.Open;
   F.Open;
   F.Close;
end Seq_Same_Ends;
