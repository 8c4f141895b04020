--  What must follow an event and does not, because the program reads for ever.
--  property: seq_file.qre
--  expect: closed, in_turn, after_both
--  trace: after open, read there is read for ever
procedure Seq_File_Endless is
   task File is
      entry Open;
      entry Read;
      entry Close;
   end File;
   task body File is
   begin
      loop
         select
            accept Open;
         or
            accept Read;
         or
            accept Close;
         or
            terminate;
         end select;
      end loop;
   end File;
begin
   File.Open;
   loop
      File.Read;
   end loop;
end Seq_File_Endless;
