--  expect: holds
procedure Routines is
   type Action is access procedure (N : Integer);
   type Test is access function (N : Integer) return Boolean;
   protected Store is
      procedure Put (N : Integer);
      function Get return Integer;
   private
      Value : Integer := 0;
   end Store;
   protected body Store is
      procedure Put (N : Integer) is begin Value := N; end Put;
      function Get return Integer is (Value);
   end Store;
   Count : Integer := 0;
   pragma Atomic (Count);
   procedure Tell (N : Integer) is begin Store.Put (N); end Tell;
   procedure Skip (N : Integer) is begin Count := Count + N; end Skip;
   function Big (N : Integer) return Boolean is (N > 2);
   Actions : array (1 .. 2) of Action := (Tell'Access, Skip'Access);
   T : Test := Big'Access;
begin
   for I in Actions'Range loop
      Actions (I) (5);
   end loop;
   Actions (1).all (7);
   pragma Assert (Store.Get = 7);
   pragma Assert (Count = 5);
   pragma Assert (T (3));
   pragma Assert (not T.all (1));
end Routines;
