--  expect: holds
with Ada.Real_Time; use Ada.Real_Time;
with Ada.Real_Time.Timing_Events; use Ada.Real_Time.Timing_Events;
procedure Timing_Event_Wakes is
   protected Watch is
      procedure Ring (Event : in out Timing_Event);
      entry Wait;
   private
      Rung : Boolean := False;
   end Watch;
   protected body Watch is
      procedure Ring (Event : in out Timing_Event) is
      begin
         Rung := True;
      end Ring;
      entry Wait when Rung is
      begin
         Rung := False;
      end Wait;
   end Watch;
   Alarm : Timing_Event;
begin
   Set_Handler (Alarm, Milliseconds (10), Watch.Ring'Unrestricted_Access);
   Watch.Wait;
end Timing_Event_Wakes;
