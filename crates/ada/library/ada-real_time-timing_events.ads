--  Model of the library unit: every event that is ever set has a clock of its own, a task in the
--  background that calls the handler some time after it was set.
package Ada.Real_Time.Timing_Events is
   type Timing_Event is tagged limited private;
   type Timing_Event_Handler is access protected procedure (Event : in out Timing_Event);
   procedure Set_Handler
     (Event : in out Timing_Event; At_Time : Ada.Real_Time.Time; Handler : Timing_Event_Handler);
   procedure Set_Handler
     (Event : in out Timing_Event; In_Time : Ada.Real_Time.Time_Span; Handler : Timing_Event_Handler);
   function Current_Handler (Event : Timing_Event) return Timing_Event_Handler;
   procedure Cancel_Handler (Event : in out Timing_Event; Cancelled : out Boolean);
   function Time_Of_Event (Event : Timing_Event) return Ada.Real_Time.Time;
private
   protected type Alarm is
      procedure Set (To : Timing_Event_Handler);
      procedure Cancel (Cancelled : out Boolean);
      function Current return Timing_Event_Handler;
      entry Expire (Expired : out Timing_Event_Handler);
   private
      Handler : Timing_Event_Handler;
   end Alarm;
   type Alarm_Access is access Alarm;
   task type Clock (Of_Alarm : Alarm_Access);
   pragma Annotate (Rendez, Background, Clock);
   type Clock_Access is access Clock;

   type Timing_Event is tagged limited record
      Alarm : Alarm_Access;
   end record;
end Ada.Real_Time.Timing_Events;
