--  expect: holds
--  A call keeps its parameter when it is requeued, also from the entry that it was requeued to.
procedure Requeue_With_Parameter is
   protected R is
      entry Request (N : Integer);
      procedure Release (N : Integer);
   private
      entry Again (N : Integer);
      Free : Integer := 2;
      Open : Boolean := False;
   end R;
   protected body R is
      entry Request (N : Integer) when Free > 0 is
      begin
         if N <= Free then Free := Free - N; else requeue Again; end if;
      end Request;
      entry Again (N : Integer) when Open is
      begin
         Open := False;
         if N <= Free then Free := Free - N; else requeue Again; end if;
      end Again;
      procedure Release (N : Integer) is
      begin
         Free := Free + N;
         if Again'Count > 0 then
            Open := True;
         end if;
      end Release;
   end R;
   task type C (N : Integer);
   task body C is
   begin
      R.Request (N); R.Release (N);
   end C;
   A : C (1); D : C (2);
begin
   null;
end Requeue_With_Parameter;
