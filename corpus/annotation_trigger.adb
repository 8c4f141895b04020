--  An annotation behind a triggering statement belongs to what follows the trigger, not to the abortable part.
--  property: annotation_trigger.qre
--  expect: never
--  options: --engine explore
procedure Annotation_Trigger is
   protected P is
      entry W;
   end P;
   protected body P is
      entry W when True is
      begin
         null;
         --@ event w
      end W;
   end P;
   X : Integer := 0;
begin
   select
      P.W;
      --@ event triggered
      X := 1;
   then abort
      delay 10.0;
      --@ event aborted
   end select;
   select
      P.W;
      --@ event alone
   then abort
      --@ event part
      X := 2;
   end select;
end Annotation_Trigger;
