--  expect: holds
--  Readers and writers over a protected object; a writer is alone.
procedure Readers_Writers is
   protected Lock is
      entry Start_Read;
      procedure End_Read;
      entry Start_Write;
      procedure End_Write;
   private
      Readers : Natural := 0;
      Writing : Boolean := False;
   end Lock;
   protected body Lock is
      entry Start_Read when not Writing is
      begin
         Readers := Readers + 1;
      end Start_Read;
      procedure End_Read is
      begin
         Readers := Readers - 1;
      end End_Read;
      entry Start_Write when not Writing and Readers = 0 is
      begin
         Writing := True;
      end Start_Write;
      procedure End_Write is
      begin
         Writing := False;
      end End_Write;
   end Lock;
   Data : Integer := 0;
   task type Reader;
   task body Reader is
      Copy : Integer;
   begin
      Lock.Start_Read;
      Copy := Data;
      Lock.End_Read;
      pragma Assert (Copy in 0 .. 1);
   end Reader;
   task Writer;
   task body Writer is
   begin
      Lock.Start_Write;
      Data := 1;
      Lock.End_Write;
   end Writer;
   A, B : Reader;
begin
   null;
end Readers_Writers;
