--  expect: unhandled-exception
--  The largest integer comes by an entry call, and nothing else depends on the sum.
procedure Overflow_By_Entry is
   task T is entry Put (N : Integer); end T;
   task body T is
      X : Integer := 0;
   begin
      accept Put (N : Integer) do
         X := N + 1;
      end Put;
   end T;
   V : Integer := Integer'Last;
begin
   T.Put (V);
end Overflow_By_Entry;
