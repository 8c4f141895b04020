--  expect: holds
--  An entry body requeues to its own entry until the parameter is small enough.
procedure Requeue_To_Itself is
   protected R is
      entry Request (N : Integer);
      procedure Release (N : Integer);
   private
      entry Again (N : Integer);
      Free : Integer := 1;
      Open : Boolean := False;
   end R;
   protected body R is
      entry Request (N : Integer) when True is
      begin
         if N > Free then requeue Again; end if;
      end Request;
      entry Again (N : Integer) when Open is
      begin
         Open := False;
         if N > Free then requeue Again; end if;
      end Again;
      procedure Release (N : Integer) is
      begin
         Free := Free + N;
         if Again'Count > 0 then Open := True; end if;
      end Release;
   end R;
   task type C (N : Integer);
   task body C is begin R.Request (N); end C;
   D : C (2);
begin
   R.Release (1);
end Requeue_To_Itself;
