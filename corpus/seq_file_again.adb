--  In a program without end everything comes that must, again and again, whatever a scheduler does that is fair.
--  property: seq_file.qre
--  expect: holds
procedure Seq_File_Again is
   task File is
      entry Open;
      entry Read;
      entry Close;
   end File;

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
   loop
      File.Open;
      File.Read;
      File.Open;
      File.Close;
      File.Read;
      File.Close;
   end loop;
end Seq_File_Again;
