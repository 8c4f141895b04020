--  expect: client-blocked?, dead-entry
--  A subprogram that the library gets access to may be called.
with Ada.Containers.Vectors;
procedure Library_Calls_Back is
   package Lists is new Ada.Containers.Vectors (Positive, Integer);
   protected P is
      entry Never;
   end P;
   protected body P is
      entry Never when False is
      begin
         null;
      end Never;
   end P;
   L : Lists.Vector;
   procedure Process (C : Lists.Cursor) is
   begin
      P.Never;
   end Process;
begin
   L.Append (1);
   L.Iterate (Process'Access);
end Library_Calls_Back;
