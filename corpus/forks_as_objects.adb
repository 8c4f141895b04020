--  expect: circular-wait
--  One task waits for what the other holds before that one has made its own call: still it is a circle, not a client
--  that is blocked by itself.
procedure Forks_As_Objects is
   protected type Fork is
      entry Take;
      procedure Drop;
   private
      Free : Boolean := True;
   end Fork;
   protected body Fork is
      entry Take when Free is
      begin
         Free := False;
      end Take;
      procedure Drop is
      begin
         Free := True;
      end Drop;
   end Fork;
   X, Y : Fork;
   task A;
   task B;
   task body A is
   begin
      X.Take; Y.Take; Y.Drop; X.Drop;
   end A;
   task body B is
   begin
      Y.Take; X.Take; X.Drop; Y.Drop;
   end B;
begin
   null;
end Forks_As_Objects;
