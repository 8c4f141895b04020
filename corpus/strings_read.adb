--  expect: holds
--  Strings, dates and tables that everybody reads.
with Ada.Calendar; use Ada.Calendar;
with Ada.Text_IO;
procedure Strings_Read is
   Title  : String := "title";
   Start  : Time := Clock;
   Names  : array (1 .. 300) of Float := (others => 0.5);
   function Length_Of (S : String) return Natural is (S'Length);
   task type T;
   task body T is
      Mine : String (1 .. 5);
      Wait : Duration;
      Sum  : Float := 0.0;
   begin
      Mine := Title;
      Mine (1) := 'T';
      Wait := Clock - Start;
      for N of Names loop
         Sum := Sum + N;
      end loop;
      Ada.Text_IO.Put_Line (Mine & Duration'Image (Wait) & Title (1 .. 2) & Natural'Image (Length_Of (Title)));
      if Sum > Names (3) then
         delay Wait;
      end if;
   end T;
   A, B : T;
begin
   Ada.Text_IO.Put_Line (Title);
end Strings_Read;
