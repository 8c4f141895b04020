--  expect: assertion
--  The same as a pragma, the Ada convention for tools.
procedure Annotation_Pragma is
   X : Integer := 2;
   task T is
      entry E;
   end T;
   task body T is
   begin
      accept E;
   end T;
begin
   pragma Annotate (Rendez, Event, "here");
   T.E;
   X := X + 1;
   pragma Annotate (Rendez, Assert, X = 2);
end Annotation_Pragma;
