--  expect: circular-wait, dead-entry
--  Two tasks call each other before they accept.
procedure A_Two_Servers_Cross is
   task A is
      entry E;
   end A;
   task B is
      entry E;
   end B;
   task body A is
   begin
      B.E;
      accept E;
   end A;
   task body B is
   begin
      A.E;
      accept E;
   end B;
begin
   null;
end A_Two_Servers_Cross;
