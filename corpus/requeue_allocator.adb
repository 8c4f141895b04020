--  expect: holds
--  The textbook allocator: who does not get enough waits in a second queue, and is tried again at every release.
procedure Requeue_Allocator is
   protected R is
      entry Request (N : Integer);
      procedure Release (N : Integer);
   private
      entry Again (N : Integer);
      Free : Integer := 2;
      To_Try : Natural := 0;
      Open : Boolean := False;
   end R;
   protected body R is
      entry Request (N : Integer) when Free > 0 is
      begin
         if N <= Free then Free := Free - N; else requeue Again; end if;
      end Request;
      entry Again (N : Integer) when Open is
      begin
         To_Try := To_Try - 1;
         if To_Try = 0 then Open := False; end if;
         if N <= Free then Free := Free - N; else requeue Again; end if;
      end Again;
      procedure Release (N : Integer) is
      begin
         Free := Free + N;
         if Again'Count > 0 then
            To_Try := Again'Count;
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
end Requeue_Allocator;
