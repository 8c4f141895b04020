--  expect: holds
procedure Parallel_Loop is
   A : array (1 .. 4) of Integer := (others => 0);
begin
   parallel for I in A'Range loop
      A (I) := I;
   end loop;
   for I in A'Range loop
      pragma Assert (A (I) = I);
   end loop;
end Parallel_Loop;
