--  What a protected procedure gives back through an access value is copied when the protected action is over.
--  expect: race
procedure Out_Through_Access_Race is
   type Pointer is access Integer;
   Shared : Pointer := new Integer'(0);
   protected Cell is
      procedure Get (Item : out Integer);
      procedure Set;
   end Cell;
   protected body Cell is
      procedure Get (Item : out Integer) is
      begin
         Item := 1;
      end Get;
      procedure Set is
      begin
         Shared.all := 3;
      end Set;
   end Cell;
   task Reader;
   task body Reader is
   begin
      Cell.Get (Shared.all);
   end Reader;
begin
   Cell.Set;
end Out_Through_Access_Race;
