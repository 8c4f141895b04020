--  expect: holds
--  A positional aggregate of a record with variants gives values to the variant it selects.
procedure Variant_Record is
   type Kind is (Number, Letter, Nothing);
   type Item (K : Kind := Nothing) is record
      case K is
         when Number => N : Integer;
         when Letter => C : Character;
         when Nothing => null;
      end case;
   end record;
   task Server is
      entry Send (I : Item);
   end Server;
   task body Server is
   begin
      accept Send (I : Item) do
         pragma Assert (I.K = Letter and then I.C = 'x');
      end Send;
   end Server;
begin
   Server.Send ((Letter, 'x'));
end Variant_Record;
