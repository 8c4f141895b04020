--  expect: holds
--  An asynchronous select with a delay inside one with an entry call, which may end at any time.
procedure Nested_Asynchronous_Call is
   protected P is
      entry Wait;
      procedure Go;
   private
      O : Boolean := False;
   end P;
   protected body P is
      entry Wait when O is begin null; end Wait;
      procedure Go is begin O := True; end Go;
   end P;
   task T;
   task body T is begin P.Go; end T;
begin
   select
      P.Wait;
   then abort
      select
         delay 0.01;
      then abort
         delay 0.02;
      end select;
   end select;
end Nested_Asynchronous_Call;
