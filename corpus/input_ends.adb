--  expect: unhandled-exception, client-blocked
--  options: --input-ends
--  The main program reads commands until its input ends; nobody handles that, and the worker waits
--  for its next turn for ever.
with Ada.Text_IO;
with Ada.Integer_Text_IO;

procedure Input_Ends is
   protected Turn is
      procedure Give;
      entry Take;
   private
      Given : Boolean := False;
   end Turn;

   protected body Turn is
      procedure Give is
      begin
         Given := True;
      end Give;

      entry Take when Given is
      begin
         Given := False;
      end Take;
   end Turn;

   task Worker;

   task body Worker is
      Number : Integer := 0;
   begin
      Turn.Take;
      begin
         Ada.Integer_Text_IO.Get (Number);
      exception
         when Ada.Text_IO.Data_Error | Ada.Text_IO.End_Error =>
            Number := 1;
      end;
   end Worker;

   Command : Character;
begin
   Ada.Text_IO.Get (Command);
   Turn.Give;
end Input_Ends;
