--  expect: race?
--  An access value that is made of an address may designate any object whose address is taken.
with Ada.Unchecked_Conversion;
with System;
procedure Race_By_Address is
   X : aliased Integer := 0;
   type Reference is access all Integer;
   function To_Reference is new Ada.Unchecked_Conversion (System.Address, Reference);
   R : Reference := To_Reference (X'Address);
   task Writer;
   task Other;
   task body Writer is
   begin
      X := 1;
   end Writer;
   task body Other is
   begin
      R.all := 2;
   end Other;
begin
   null;
end Race_By_Address;
