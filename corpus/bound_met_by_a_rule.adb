--  expect: too_deep?
--  property: bound_met_by_a_rule.qre
--  trace: called within itself at most 32 times
--
--  The event lies beyond a bound: that it does not come before the bound proves nothing.
procedure Bound_Met_By_A_Rule is
   protected Log is
      procedure Note;
   end Log;
   protected body Log is
      procedure Note is
      begin
         null;
      end Note;
   end Log;
   procedure Descend (Depth : Integer) is
   begin
      Log.Note;
      if Depth = 40 then
         --@ event bottom
         Log.Note;
      else
         Descend (Depth + 1);
      end if;
   end Descend;
begin
   Descend (0);
end Bound_Met_By_A_Rule;
