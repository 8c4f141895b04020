--  expect: circular-wait, dead-entry
--
--  The only call that could serve the second task stands in a handler around a procedure in which the first one waits for itself: the
--  second waits behind that circle.
procedure Behind_A_Circle_By_A_Handler is
   task First is
      entry Never;
   end First;
   task Second is
      entry Go;
   end Second;
   procedure Call_Itself is
   begin
      First.Never;
   end Call_Itself;
   task body First is
   begin
      Call_Itself;
   exception
      when Tasking_Error =>
         Second.Go;
   end First;
   task body Second is
   begin
      accept Go;
   end Second;
begin
   null;
end Behind_A_Circle_By_A_Handler;
