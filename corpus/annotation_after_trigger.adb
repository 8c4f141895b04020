--  expect: holds
--  What stands after a trigger happens when it is served, not in the abortable part; the same for the
--  alternatives of other select statements without statements of their own.
procedure Annotation_After_Trigger is
   protected P is
      entry Trigger (Served : out Boolean);
      procedure Fire;
   private
      Open : Boolean := False;
   end P;
   protected body P is
      entry Trigger (Served : out Boolean) when Open is
      begin
         Served := True;
      end Trigger;
      procedure Fire is
      begin
         Open := True;
      end Fire;
   end P;
   task S;
   task body S is
      Got : Boolean := False;
   begin
      select
         P.Trigger (Got);
         --@ assert Got
      then abort
         null;
      end select;
      Got := False;
      select
         P.Trigger (Got);
         --@ assert Got
         null;
      then abort
         null;
      end select;
      Got := False;
      select
         P.Trigger (Got);
         --@ assert Got
      else
         null;
      end select;
   end S;
begin
   P.Fire;
end Annotation_After_Trigger;
