--  expect: holds
--  A conditional call of a protected entry is served at once or not at all.
procedure H_Conditional_Protected_Call is
   protected P is
      entry Take;
   private
      Free : Boolean := True;
   end P;
   protected body P is
      entry Take when Free is
      begin
         Free := False;
      end Take;
   end P;
   Got : Integer := 0;
begin
   for I in 1 .. 2 loop
      select
         P.Take;
         Got := Got + 1;
      else
         null;
      end select;
   end loop;
   pragma Assert (Got = 1);
end H_Conditional_Protected_Call;
