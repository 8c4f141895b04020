--  expect: holds
--  A procedure with local tasks, called twice; it returns when they have ended.
procedure J_Tasks_In_Subprogram is
   Total : Integer := 0;
   procedure Run is
      task T is
         entry Add (N : Integer);
      end T;
      task body T is
      begin
         accept Add (N : Integer) do
            Total := Total + N;
         end Add;
      end T;
   begin
      T.Add (2);
   end Run;
begin
   Run;
   Run;
   pragma Assert (Total = 4);
end J_Tasks_In_Subprogram;
