--  expect: holds
--  What an entry body assigned to a parameter before it requeued the call is there in the next body, and afterwards.
procedure Requeue_Keeps_Results is
   task Counter is
      entry Count (X : in out Integer; Y : out Integer);
   end Counter;
   protected Stage is
      entry First (X : in out Integer; Y : out Integer);
      entry Last (X : in out Integer; Y : out Integer);
   end Stage;
   protected body Stage is
      entry First (X : in out Integer; Y : out Integer) when True is
      begin
         X := X + 1;
         Y := 5;
         requeue Counter.Count with abort;
      end First;
      entry Last (X : in out Integer; Y : out Integer) when True is
      begin
         X := X + 100;
         pragma Assert (Y = 5);
      end Last;
   end Stage;
   task body Counter is
   begin
      accept Count (X : in out Integer; Y : out Integer) do
         pragma Assert (Y = 5);
         X := X + 10;
         requeue Stage.Last;
      end Count;
   end Counter;
   A : Integer := 0;
   B : Integer := 0;
begin
   Stage.First (A, B);
   pragma Assert (A = 111);
   pragma Assert (B = 5);
end Requeue_Keeps_Results;
