--  expect: holds
--  An aggregate is evaluated before anything of its target changes.
procedure Aggregate_Reads_Target is
   type Pair is record X, Y : Integer range 0 .. 3; end record;
   P : Pair := (X => 1, Y => 2);
   task Server is entry Go; end Server;
   task body Server is begin
      accept Go;
   end Server;
begin
   P := (X => P.Y, Y => P.X);
   if P.X = 2 and P.Y = 1 then
      Server.Go;
   end if;
end Aggregate_Reads_Target;
