--  However fair the scheduler is, nobody promises that the interrupt comes.
--  options: --fair weak
--  expect: assert@35
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
procedure Ctl_Interrupt is
   task Busy;
   task body Busy is
   begin
      loop
         --@ assert eventually accept Signals.Handler.Wait
         delay 1.0;
      end loop;
   end Busy;
begin
   Signals.Handler.Wait;
end Ctl_Interrupt;
