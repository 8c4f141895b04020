with Ada.Task_Attributes;
with Ada.Task_Identification;
with Interfaces.C;
with System;

package body Rendez_Log is

   use Interfaces;

   function C_Write (File : C.int; Buffer : System.Address; Count : C.size_t) return C.long
     with Import, Convention => C, External_Name => "write";

   function C_Getenv (Name : System.Address) return System.Address
     with Import, Convention => C, External_Name => "getenv";

   function C_Atol (Text : System.Address) return C.long
     with Import, Convention => C, External_Name => "atol";

   function Seed return Unsigned_64 is
      Name : constant String := "RENDEZ_SEED" & ASCII.NUL;
      Text : constant System.Address := C_Getenv (Name'Address);
      use type System.Address;
   begin
      if Text = System.Null_Address then
         return 88172645463325252;
      end if;
      return 88172645463325252 + Unsigned_64 (C_Atol (Text)) * 2654435761;
   end Seed;

   --  Calls are serialised, so that the order of the lines is the order of the events.
   protected Log is
      procedure Put (Who, Label : String);
      procedure Draw (Number : out Unsigned_64);
      procedure Count (Number : out Natural);
   private
      Tasks : Natural := 0;
      State : Unsigned_64 := Seed;
   end Log;

   protected body Log is
      procedure Put (Who, Label : String) is
         Line   : constant String := "@@ " & Who & " " & Label & ASCII.LF;
         Ignore : C.long;
      begin
         Ignore := C_Write (2, Line'Address, Line'Length);
      end Put;

      procedure Draw (Number : out Unsigned_64) is
      begin
         State := State xor Shift_Left (State, 13);
         State := State xor Shift_Right (State, 7);
         State := State xor Shift_Left (State, 17);
         Number := Shift_Right (State, 20);
      end Draw;

      procedure Count (Number : out Natural) is
      begin
         Tasks := Tasks + 1;
         Number := Tasks;
      end Count;
   end Log;

   package Numbers is new Ada.Task_Attributes (Natural, 0);

   --  The name of the calling task, with a number of its own: two tasks, one after the other, can have the same address.
   function Myself return String is
      use Ada.Task_Identification;
      Image  : constant String := Ada.Task_Identification.Image (Current_Task);
      Number : Natural := Numbers.Value;
   begin
      if Number = 0 then
         Log.Count (Number);
         Numbers.Set_Value (Number);
      end if;
      return Image & Integer'Image (-Number);
   end Myself;

   procedure Event (Label : String) is
      Number : Unsigned_64;
   begin
      Log.Draw (Number);
      case Number mod 8 is
         when 0 =>
            delay 0.0002 * Duration (Number / 8 mod 16);
         when 1 | 2 =>
            delay 0.0;
         when others =>
            null;
      end case;
      Log.Put (Myself, Label);
   end Event;

   procedure Note (Label : String) is
   begin
      Log.Put ("-", Label);
   end Note;

   procedure Recover is
   begin
      delay 0.003;
   end Recover;

   function Scaled (Time : Duration) return Duration is
   begin
      return (if Time > 1.0 then 0.005 elsif Time > 0.0 then Duration'Min (Time, 0.003) else Time);
   end Scaled;

end Rendez_Log;
