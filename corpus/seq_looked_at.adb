--  A test is of what is looked at: the element that is chosen, no operand that is skipped, what a case statement chooses by.
--  property: seq_looked_at.qre
--  expect: second, left, chosen, eight, first_too, right_too, either_too
procedure Seq_Looked_At is
   type Arr is array (1 .. 3) of Integer;
   A : Arr := (2, 0, 0);
   L : Integer := 1;
   B : Boolean := False;
   X : Integer := 0;
   Y : Integer := 0;
   Z : Integer := 0;
   task T;
   task body T is
   begin
      Z := 8;
      case Z is
         when 8 => Y := 21;
         when others => null;
      end case;
   end T;
begin
   L := L + 1;
   if A (L) = 2 then
      L := 5;
   end if;
   B := L = 5;
   if B and then X = 0 then
      L := 6;
   end if;
   if L = 2 or else Y = 3 then
      L := 7;
   end if;
   X := 1;
end Seq_Looked_At;
