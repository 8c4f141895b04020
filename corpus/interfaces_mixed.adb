--  expect: holds
procedure Interfaces_Mixed is
   package Sinks is
      type Sink is limited interface;
      procedure Send (S : in out Sink; N : Integer) is abstract;
      type Sink_Access is access all Sink'Class;
      type Counter is limited new Sink with record Count : Integer := 0; end record;
      overriding procedure Send (S : in out Counter; N : Integer);
      protected type Guarded is new Sink with
         overriding procedure Send (N : Integer);
         function Last return Integer;
      private
         Value : Integer := 0;
      end Guarded;
   end Sinks;
   package body Sinks is
      overriding procedure Send (S : in out Counter; N : Integer) is
      begin
         S.Count := S.Count + 1;
      end Send;
      protected body Guarded is
         procedure Send (N : Integer) is begin Value := N; end Send;
         function Last return Integer is (Value);
      end Guarded;
   end Sinks;
   use Sinks;
   K : aliased Counter;
   G : aliased Guarded;
   All_Of_Them : array (1 .. 2) of Sink_Access := (K'Access, G'Access);
begin
   for I in All_Of_Them'Range loop
      All_Of_Them (I).Send (7);
   end loop;
   pragma Assert (K.Count = 1);
   pragma Assert (G.Last = 7);
end Interfaces_Mixed;
