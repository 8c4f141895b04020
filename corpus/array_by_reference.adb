--  expect: unhandled-exception, race
--  An array may be passed by reference: it is read while another task writes it.
procedure array_by_reference is
   type R is array (1 .. 6) of Integer;
   V : R := (others => 0);
   Y : Integer;
   task T is entry Go; end T;
   procedure P (X : R) is
   begin
      T.Go;
      Y := 10 / (1 - X (1));
   end P;
   task body T is
   begin
      accept Go;
      V (1) := 1;
   end T;
begin
   P (V);
end array_by_reference;
