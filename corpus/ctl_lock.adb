--  Who finds a protected object free again and again comes in, however often others use it.
--  options: --fair weak
--  expect: holds
procedure Ctl_Lock is
   protected Counter is
      procedure Add;
      entry Take;
   private
      Value : Natural := 0;
   end Counter;
   protected body Counter is
      procedure Add is
      begin
         Value := (Value + 1) mod 2;
      end Add;
      entry Take when True is
      begin
         Value := 0;
      end Take;
   end Counter;
   task Busy;
   task body Busy is
   begin
      loop
         Counter.Add;
      end loop;
   end Busy;
begin
   --@ assert eventually accept Counter.Take
   Counter.Take;
end Ctl_Lock;
