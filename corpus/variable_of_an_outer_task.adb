--  expect: client-blocked, server-idle, race, dead-entry
--
--  A task looks at a variable of the task around it, which is busy with something else before it sets the variable.
procedure Variable_Of_An_Outer_Task is
   protected Gate is
      entry Wait;
   private
      Is_Open : Boolean := False;
   end Gate;
   protected body Gate is
      entry Wait when Is_Open is
      begin
         null;
      end Wait;
   end Gate;
   task Server is
      entry Go;
   end Server;
   task body Server is
   begin
      loop
         accept Go;
      end loop;
   end Server;
   task Outer;
   task body Outer is
      procedure Run is
         Y : Integer range 0 .. 3 := 0;
         pragma Atomic (Y);
         task Inner;
         task body Inner is
         begin
            if Y = 0 then
               Gate.Wait;
            end if;
         end Inner;
      begin
         Server.Go;
         Y := 1;
         Server.Go;
      end Run;
   begin
      Run;
   end Outer;
begin
   null;
end Variable_Of_An_Outer_Task;
