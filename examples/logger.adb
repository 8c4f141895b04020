--  Two writers share a file; one of them forgets to close it, as logger.rules shows.
procedure Logger is
   protected File is
      entry Open;
      procedure Close;
   private
      Is_Open : Boolean := False;
   end File;

   protected body File is
      entry Open when not Is_Open is
      begin
         Is_Open := True;
      end Open;

      procedure Close is
      begin
         Is_Open := False;
      end Close;
   end File;

   task type Writer (Lines : Natural);
   task body Writer is
   begin
      File.Open;
      if Lines > 0 then
         --  Here it would write its lines.
         File.Close;
      end if;
   end Writer;

   A : Writer (2);
   B : Writer (0);
begin
   null;
end Logger;
