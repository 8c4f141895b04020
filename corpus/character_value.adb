--  expect: holds
--  The case of a character literal counts in 'Value; a name of a control character is no literal, and no error.
procedure Character_Value is
   C : Character := Character'Value ("'a'");
begin
   if C /= 'a' then
      raise Program_Error;
   end if;
   C := Character'Value ("LF");
   C := Character'Value ("'A'");
   if C /= 'A' then
      raise Program_Error;
   end if;
end Character_Value;
