--  What must follow an event and does not, because nobody can go on.
--  property: seq_file.qre
--  expect: closed, in_turn, after_both
--  trace: the program stands still after open, read
procedure Seq_File_Stands is
   task File is
      entry Open;
      entry Read;
      entry Close;
   end File;
   task Never is
      entry Begin_Work;
      entry Wait;
   end Never;
   task body Never is
   begin
      accept Begin_Work;
      accept Wait;
   end Never;
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
   File.Read;
   Never.Wait;
   File.Close;
end Seq_File_Stands;
