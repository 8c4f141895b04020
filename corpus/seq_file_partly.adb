--  What must follow an event and does not, because a task waits for ever while another one runs.
--  property: seq_file.qre
--  expect: looked_at, closed, in_turn, while_open
--  trace: the program goes on for ever after open, with no further event of the property
procedure Seq_File_Partly is
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
   task Ticker;
   task body Ticker is
   begin
      loop
         delay 1.0;
      end loop;
   end Ticker;
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
   Never.Wait;
   File.Read;
   File.Close;
end Seq_File_Partly;
