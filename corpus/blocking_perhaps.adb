--  expect: unhandled-exception?
--  Nobody says what becomes of a delay in a protected action: it may raise Program_Error.
procedure Blocking_Perhaps is
   protected B is
      procedure X;
   end B;
   protected body B is
      procedure X is
      begin
         delay 0.01;
      end X;
   end B;
begin
   B.X;
end Blocking_Perhaps;
