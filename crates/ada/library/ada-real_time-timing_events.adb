package body Ada.Real_Time.Timing_Events is

   protected body Alarm is
      procedure Set (To : Timing_Event_Handler) is
      begin
         Handler := To;
      end Set;

      procedure Cancel (Cancelled : out Boolean) is
      begin
         Cancelled := Handler /= null;
         Handler := null;
      end Cancel;

      function Current return Timing_Event_Handler is
      begin
         return Handler;
      end Current;

      entry Expire (Expired : out Timing_Event_Handler) when Handler /= null is
      begin
         Expired := Handler;
         Handler := null;
      end Expire;
   end Alarm;

   task body Clock is
      Event   : Timing_Event;
      Handler : Timing_Event_Handler;
   begin
      Event.Alarm := Of_Alarm;
      loop
         Of_Alarm.Expire (Handler);
         begin
            Handler.all (Event);
         exception
            when others =>
               null;
         end;
      end loop;
   end Clock;

   procedure Start (Event : in out Timing_Event) is
      Ticking : Clock_Access;
   begin
      if Event.Alarm = null then
         Event.Alarm := new Alarm;
         Ticking := new Clock (Event.Alarm);
      end if;
   end Start;

   procedure Set_Handler
     (Event : in out Timing_Event; At_Time : Ada.Real_Time.Time; Handler : Timing_Event_Handler) is
   begin
      Start (Event);
      Event.Alarm.Set (Handler);
   end Set_Handler;

   procedure Set_Handler
     (Event : in out Timing_Event; In_Time : Ada.Real_Time.Time_Span; Handler : Timing_Event_Handler) is
   begin
      Start (Event);
      Event.Alarm.Set (Handler);
   end Set_Handler;

   function Current_Handler (Event : Timing_Event) return Timing_Event_Handler is
   begin
      if Event.Alarm = null then
         return null;
      end if;
      return Event.Alarm.Current;
   end Current_Handler;

   procedure Cancel_Handler (Event : in out Timing_Event; Cancelled : out Boolean) is
   begin
      Cancelled := False;
      if Event.Alarm /= null then
         Event.Alarm.Cancel (Cancelled);
      end if;
   end Cancel_Handler;

   function Time_Of_Event (Event : Timing_Event) return Ada.Real_Time.Time is
   begin
      return Ada.Real_Time.Clock;
   end Time_Of_Event;

end Ada.Real_Time.Timing_Events;
