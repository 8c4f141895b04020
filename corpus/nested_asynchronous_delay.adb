--  expect: holds
--  An asynchronous select with an entry call inside one with a delay, which may end while the call is served.
procedure Nested_Asynchronous_Delay is
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
   N : Integer := 0;
begin
   select
      delay 0.05;
      N := 1;
   then abort
      select
         P.Wait;
         N := 2;
      then abort
         loop delay 0.01; end loop;
      end select;
   end select;
   pragma Assert (N in 1 | 2);
end Nested_Asynchronous_Delay;
