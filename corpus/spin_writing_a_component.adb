--  expect: spin, race
--  The loop writes a component that decides nothing, again and again, until a flag that nobody sets.
procedure Spin_Writing_A_Component is
   Flag : Boolean := False;
   pragma Volatile (Flag);

   protected P is
      procedure Set (N : Integer);
      entry Swap (N : in out Integer);
   private
      Value : Integer := 1;
      Open  : Boolean := False;
   end P;

   protected body P is
      procedure Set (N : Integer) is
      begin
         Value := N;
         Open  := True;
      end Set;

      entry Swap (N : in out Integer) when Open is
      begin
         Value := (Value + N) mod 3;
      end Swap;
   end P;

   task Writer;
   task Other;

   task body Writer is
   begin
      loop
         P.Set (2);
         P.Set (0);
         exit when Flag;
      end loop;
   end Writer;

   task body Other is
      L : Integer := 0;
   begin
      P.Swap (L);
   end Other;
begin
   Flag := Flag;
end Spin_Writing_A_Component;
