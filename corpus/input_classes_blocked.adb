--  expect: client-blocked
--  One number of four thousand million lets the gate be passed twice. It is read, so that it can be
--  this one; nothing is guessed.
with Ada.Integer_Text_IO;

procedure Input_Classes_Blocked is
   protected Gate is
      procedure Open;
      entry Pass;
   private
      Opened : Boolean := False;
   end Gate;

   protected body Gate is
      procedure Open is
      begin
         Opened := True;
      end Open;

      entry Pass when Opened is
      begin
         Opened := False;
      end Pass;
   end Gate;

   Number : Integer;
begin
   Ada.Integer_Text_IO.Get (Number);
   Gate.Open;
   Gate.Pass;
   if Number = 4711 then
      Gate.Pass;
   end if;
end Input_Classes_Blocked;
