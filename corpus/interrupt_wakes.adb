--  expect: holds
--  The main program waits for an interrupt, which comes.
with Ada.Interrupts.Names;
package Signals is
   protected Handler is
      procedure On_Signal;
      pragma Attach_Handler (On_Signal, Ada.Interrupts.Names.SIGUSR1);
      entry Wait;
   private
      Seen : Boolean := False;
   end Handler;
end Signals;

package body Signals is
   protected body Handler is
      procedure On_Signal is
      begin
         Seen := True;
      end On_Signal;

      entry Wait when Seen is
      begin
         Seen := False;
      end Wait;
   end Handler;
end Signals;

with Signals;
procedure Interrupt_Wakes is
begin
   Signals.Handler.Wait;
   Signals.Handler.Wait;
end Interrupt_Wakes;
