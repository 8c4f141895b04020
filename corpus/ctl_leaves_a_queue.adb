--  property: ctl_leaves_a_queue.ctl
--  expect: holds
--  A timed call can be withdrawn while nobody is inside the object: who only waits for that does not wait for ever.
procedure Ctl_Leaves_A_Queue is
   protected P is
      entry W;
      procedure Set;
      procedure Clear;
      function Is_Set return Boolean;
   private
      Open : Boolean := False;
   end P;
   protected body P is
      entry W when Open is begin Open := False; end W;
      procedure Set is begin Open := True; end Set;
      procedure Clear is begin Open := False; end Clear;
      function Is_Set return Boolean is begin return Open; end Is_Set;
   end P;
   task S is entry A; entry B; end S;
   task C0;
   task C1;
   task body S is begin
   loop
      accept A;
   end loop;
   end S;
   task body C0 is begin
      select P.W; or delay 1.0; end select;
      null;
   end C0;
   task body C1 is begin
      loop
         P.Clear;
         null;
      end loop;
   end C1;
   begin
   null;
end Ctl_Leaves_A_Queue;
