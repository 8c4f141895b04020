--  expect: assertion
--  Y + 1 overflows wherever it stands: as the operand of a conversion, of a membership test, of an attribute, of a unary operator,
--  as the selector of a case statement and as a bound of a loop.
procedure Overflow_In_Operand is
   Y : Integer := Integer'Last;
   L : Long_Integer := 1;
   B : Boolean := False;
   Passed : Natural := 0;
begin
   begin
      L := Long_Integer (Y + 1);
      Passed := Passed + 1;
   exception
      when Constraint_Error => null;
   end;
   begin
      L := -Long_Integer (-(Y + 1));
      Passed := Passed + 1;
   exception
      when Constraint_Error => null;
   end;
   begin
      B := Y + 1 in 1 .. 5;
      Passed := Passed + 1;
   exception
      when Constraint_Error => null;
   end;
   begin
      L := Long_Integer (Integer'Min (Y + 1, 5));
      Passed := Passed + 1;
   exception
      when Constraint_Error => null;
   end;
   begin
      case Y + 1 is
         when 1 => L := 2;
         when others => L := 3;
      end case;
      Passed := Passed + 1;
   exception
      when Constraint_Error => null;
   end;
   begin
      for I in Y .. Y + 1 loop
         exit;
      end loop;
      Passed := Passed + 1;
   exception
      when Constraint_Error => null;
   end;
   pragma Assert (Passed /= 0 or L = 0 or B);
end Overflow_In_Operand;
