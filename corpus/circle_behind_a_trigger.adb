--  expect: circular-wait, dead-entry
--  If B came to open P, the main program would call B; but B waits for that call first.
procedure Circle_Behind_A_Trigger is
   protected P is
      entry Trig;
      procedure Open;
   private
      On : Boolean := False;
   end P;
   protected body P is
      entry Trig when On is begin null; end Trig;
      procedure Open is begin On := True; end Open;
   end P;
   task C is entry Never; end C;
   task B is entry Go; end B;
   task body C is
   begin
      select
         accept Never;
      or
         terminate;
      end select;
   end C;
   task body B is
   begin
      accept Go;
      P.Open;
   end B;
   protected Q is
      entry Never;
   private
      On : Boolean := False;
   end Q;
   protected body Q is
      entry Never when On is begin null; end Never;
   end Q;
begin
   select
      P.Trig;
      B.Go;
   then abort
      Q.Never;
   end select;
end Circle_Behind_A_Trigger;
