--  expect: never
--  property: seq_broken_at_start.qre
--  The first thing that happens breaks the rule.
procedure Seq_Broken_At_Start is
begin
   pragma Annotate (Rendez, Event, "begun");
   null;
end Seq_Broken_At_Start;
