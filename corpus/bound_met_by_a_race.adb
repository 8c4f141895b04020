--  expect: race?
--  options: --only race
--  trace: tasks are declared within tasks at most 5 deep
--
--  Only the innermost task and its parent access the variable, and they are beyond a bound.
procedure Bound_Met_By_A_Race is
   X : Integer := 0;
   procedure Nest (Depth : Integer) is
      task Inner;
      task body Inner is
      begin
         if Depth = 0 then
            X := 1;
         else
            Nest (Depth - 1);
         end if;
      end Inner;
   begin
      if Depth = 0 then
         X := 2;
      end if;
   end Nest;
begin
   Nest (6);
end Bound_Met_By_A_Race;
