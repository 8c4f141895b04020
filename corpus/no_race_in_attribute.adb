--  expect: holds
--  The bounds and the size of an array are no access to it.
procedure No_Race_In_Attribute is
   type Table is array (1 .. 3) of Integer;
   T : Table := (others => 0);
   task Reader;
   task Writer;
   task body Reader is
      Length : Natural := 0;
   begin
      Length := T'Length + T'Size;
   end Reader;
   task body Writer is
   begin
      T (1) := 5;
   end Writer;
begin
   null;
end No_Race_In_Attribute;
