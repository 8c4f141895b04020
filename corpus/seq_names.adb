--  Names as they are written in Ada: blanks before indices, indices of type Boolean, whole records.
--  property: seq_names.qre
--  expect: open, first, whole
procedure Seq_Names is
   protected P is
      entry Wait (Boolean);
      entry Num (1 .. 2);
   end P;
   protected body P is
      entry Wait (for I in Boolean) when True is
      begin
         null;
      end Wait;
      entry Num (for I in 1 .. 2) when True is
      begin
         null;
      end Num;
   end P;
   type Rec is record
      A, B : Integer := 7;
   end record;
   R : Rec;
   S : Rec;
begin
   P.Wait (True);
   P.Num (1);
   R.B := S.A;
end Seq_Names;
