--  expect: client-blocked, dead-entry
--  A String function with an entry call, in a slice, in a concatenation.
procedure Call_In_String is
   protected P is entry Never; end P;
   protected body P is entry Never when False is begin null; end Never; end P;
   function F return String is begin P.Never; return "abc"; end F;
   S : String (1 .. 2);
begin
   S := F (1 .. 2);
end Call_In_String;
