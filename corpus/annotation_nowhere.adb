--  An annotation that stands in no sequence of statements speaks of none.
--  reject: this annotation does not stand before a statement
procedure Annotation_Nowhere is
   task S is
      entry E;
      entry F;
   end S;
   task body S is
   begin
      select
         accept E;
      or
         --@ event before_the_alternative
         accept F;
      end select;
   end S;
begin
   S.E;
end Annotation_Nowhere;
