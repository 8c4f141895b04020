--  expect: race
--  Two tasks add to one Float: its value is not followed, its accesses are.
procedure Race_Float is
   F : Float := 0.0;
   task T1;
   task T2;
   task body T1 is
   begin
      F := F + 1.0;
   end T1;
   task body T2 is
   begin
      F := F + 2.0;
   end T2;
begin
   null;
end Race_Float;
