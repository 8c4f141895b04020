--  expect: client-blocked, dead-entry
--  An index of a type with an indexing function calls it.
procedure Indexing_Function is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   package Tables is
      type Table is tagged null record with Constant_Indexing => Element;
      function Element (T : Table; I : Integer) return Integer;
   end Tables;
   package body Tables is
      function Element (T : Table; I : Integer) return Integer is
      begin
         if I = 1 then
            Gate.Wait;
         end if;
         return I;
      end Element;
   end Tables;
   T : Tables.Table;
   X : Integer := 0;
begin
   X := T (2);
   X := T (X - 1);
end Indexing_Function;
