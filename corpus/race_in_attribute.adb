--  expect: race
--  The length of what an access variable designates: the variable is read.
procedure Race_In_Attribute is
   type Table is array (Positive range <>) of Integer;
   type Reference is access Table;
   T : Reference := new Table (1 .. 3);
   task Reader;
   task Writer;
   task body Reader is
      Length : Natural := 0;
   begin
      Length := T'Length;
   end Reader;
   task body Writer is
   begin
      T := new Table (1 .. 5);
   end Writer;
begin
   null;
end Race_In_Attribute;
