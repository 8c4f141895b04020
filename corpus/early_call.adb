--  expect: unhandled-exception
--  A function is called before its body is elaborated.
procedure Early_Call is
   function F return Integer;
   X : Integer := F;
   function F return Integer is begin return 1; end F;
begin
   if X = 1 then null; end if;
end Early_Call;
