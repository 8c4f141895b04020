--  expect: race
--  Strings and floats are shared data, too.
procedure Race_In_String is
   S : String (1 .. 3) := "abc";
   F : Float := 0.0;
   task T1; task T2;
   task body T1 is begin S := "xyz"; F := 1.0; end T1;
   task body T2 is begin F := F + 2.0; S (1) := 'q'; end T2;
begin
   null;
end Race_In_String;
