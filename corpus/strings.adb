--  expect: assertion?, unhandled-exception?
--  String comparison decides.
with Ada.Text_IO;
procedure Strings is
   Done : exception;
   S : String (1 .. 3) := "abc";
   T : constant String := S & "de";
   type Cmd is (Go, Stop);
   C : Cmd := Cmd'Value ("stop");
begin
   pragma Assert (T'Length = 5);
   pragma Assert (T (4) = 'd');
   pragma Assert (S < "abd");
   pragma Assert (S & "x" = "abcx");
   S (2) := 'z';
   pragma Assert (S = "azc");
   pragma Assert (T (2 .. 3) = "bc");
   pragma Assert (C = Stop);
   pragma Assert (Cmd'Image (C) = "STOP");
   pragma Assert (Integer'Value (" 12 ") = 12);
   pragma Assert (Integer'Image (12) = " 12");
   raise Done;
end Strings;
