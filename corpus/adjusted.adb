--  expect: holds
--  Assignment finalises the target, copies, and adjusts the copy.
with Ada.Finalization;
procedure Adjusted is
   protected Count is
      procedure Add (N : Integer);
      function Total return Integer;
   private
      Sum : Integer := 0;
   end Count;
   protected body Count is
      procedure Add (N : Integer) is
      begin
         Sum := Sum + N;
      end Add;
      function Total return Integer is (Sum);
   end Count;
   package Refs is
      type Ref is new Ada.Finalization.Controlled with record
         Id : Integer := 0;
      end record;
      overriding procedure Initialize (R : in out Ref);
      overriding procedure Adjust (R : in out Ref);
      overriding procedure Finalize (R : in out Ref);
   end Refs;
   package body Refs is
      overriding procedure Initialize (R : in out Ref) is
      begin
         Count.Add (1);
      end Initialize;
      overriding procedure Adjust (R : in out Ref) is
      begin
         Count.Add (10);
      end Adjust;
      overriding procedure Finalize (R : in out Ref) is
      begin
         Count.Add (100);
      end Finalize;
   end Refs;
begin
   declare
      A, B : Refs.Ref;
   begin
      A.Id := 3;
      pragma Assert (Count.Total = 2);
      B := A;
      pragma Assert (Count.Total = 112);
      pragma Assert (B.Id = 3);
   end;
   pragma Assert (Count.Total = 312);
end Adjusted;
