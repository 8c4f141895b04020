--  expect: holds
--  A task's entry does not hide a function of the same name and another profile.
procedure Entry_Overloads_Function is
   protected type Lock is
      entry Seize;
      procedure Free;
   private
      Held : Boolean := False;
   end Lock;
   protected body Lock is
      entry Seize when not Held is
      begin
         Held := True;
      end Seize;
      procedure Free is
      begin
         Held := False;
      end Free;
   end Lock;
   type Ref is access Lock;
   function Init return Ref is
   begin
      return new Lock;
   end Init;
   task type Node is
      entry Init (N : Integer);
   end Node;
   task body Node is
      L : Ref := Init;
   begin
      accept Init (N : Integer) do
         pragma Assert (N = 1);
      end Init;
      L.Seize;
      L.Free;
   end Node;
   A, B : Node;
begin
   A.Init (1);
   B.Init (1);
end Entry_Overloads_Function;
