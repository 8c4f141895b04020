--  expect: client-blocked, dead-entry
--  The prefix of an attribute is evaluated: here, a function that waits.
procedure Attribute_Calls is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   function Name return String is
   begin
      Gate.Wait;
      return "name";
   end Name;
   Length : Natural := 0;
begin
   Length := Name'Length;
end Attribute_Calls;
