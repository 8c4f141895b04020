--  expect: client-blocked, dead-entry
--  The interrupt opens one entry, not the other: the main program waits for ever, whatever comes.
with Ada.Interrupts.Names;
package Signals is
   protected Handler is
      procedure On_Signal with Attach_Handler => Ada.Interrupts.Names.SIGUSR1;
      entry Wait;
      entry Other;
   private
      Seen  : Boolean := False;
      Ready : Boolean := False;
   end Handler;
end Signals;

package body Signals is
   protected body Handler is
      procedure On_Signal is
      begin
         Seen := not Seen;
      end On_Signal;

      entry Wait when Seen is
      begin
         Seen := False;
      end Wait;

      entry Other when Ready is
      begin
         null;
      end Other;
   end Handler;
end Signals;

with Signals;
procedure Interrupt_Not_Enough is
begin
   Signals.Handler.Wait;
   Signals.Handler.Other;
end Interrupt_Not_Enough;
