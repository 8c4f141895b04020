--  What must follow an event and does not before the program comes to its end.
--  property: seq_file.qre
--  expect: closed, in_turn, while_open
--  trace: the program ends after open, read, close, open
procedure Seq_File_Ends is
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
   File.Read;
   File.Close;
   File.Open;
end Seq_File_Ends;
