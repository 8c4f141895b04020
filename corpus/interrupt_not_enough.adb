--  expect: client-blocked, dead-entry
--  The interrupt opens the wrong entry: the main program waits for ever, whatever comes.
with Ada.Interrupts.Names;
procedure Interrupt_Not_Enough is
   protected Handler is
      procedure On_Signal with Attach_Handler => Ada.Interrupts.Names.SIGUSR1;
      entry Wait;
      entry Other;
   private
      Seen, Ready : Boolean := False;
   end Handler;
   protected body Handler is
      procedure On_Signal is begin Seen := not Seen; end On_Signal;
      entry Wait when Seen is begin Seen := False; end Wait;
      entry Other when Ready is begin null; end Other;
   end Handler;
begin
   Handler.Wait;
   Handler.Other;
end Interrupt_Not_Enough;
