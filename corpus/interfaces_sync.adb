--  expect: holds
procedure Interfaces_Sync is
   package Stores is
      type Store is synchronized interface;
      procedure Put (S : in out Store; N : Integer) is abstract;
      type Store_Access is access all Store'Class;
      protected type Cell is new Store with
         overriding entry Put (N : Integer);
         function Get return Integer;
      private
         Value : Integer := 0;
         Full : Boolean := False;
      end Cell;
      task type Server is new Store with
         overriding entry Put (N : Integer);
         entry Total (N : out Integer);
      end Server;
   end Stores;
   package body Stores is
      protected body Cell is
         entry Put (N : Integer) when not Full is begin Value := N; Full := True; end Put;
         function Get return Integer is (Value);
      end Cell;
      task body Server is
         Sum : Integer := 0;
      begin
         loop
            select
               accept Put (N : Integer) do Sum := Sum + N; end Put;
            or
               accept Total (N : out Integer) do N := Sum; end Total;
            or
               terminate;
            end select;
         end loop;
      end Server;
   end Stores;
   use Stores;
   C : aliased Cell;
   S : aliased Server;
   A : Store_Access;
   X : Integer;
begin
   A := C'Access;
   A.Put (3);
   A := S'Access;
   A.Put (4);
   A.Put (5);
   S.Total (X);
   pragma Assert (X = 9);
   pragma Assert (C.Get = 3);
   A := C'Access;
   select
      A.Put (1);
      pragma Assert (False);
   else
      null;
   end select;
end Interfaces_Sync;
