--  expect: holds
--  An explicitly limited record is passed by reference (RM 6.2).
procedure limited_record_by_reference is
   type R is limited record A : Integer := 0; end record;
   V : R;
   procedure P (X : R) is begin V.A := 1; pragma Assert (X.A = 1); end P;
begin P (V); end limited_record_by_reference;
