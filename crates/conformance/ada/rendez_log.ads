--  Where instrumented programs tell what they do.
package Rendez_Log is

   --  The calling task is at a place of its own code; before it says so it is delayed at random.
   procedure Event (Label : String);

   --  Somebody is at a place of shared code: another task may run it.
   procedure Note (Label : String);

   --  An exception was caught: a moment for the run time to get over it.
   procedure Recover;

   --  Delays are made short.
   function Scaled (Time : Duration) return Duration;

end Rendez_Log;
