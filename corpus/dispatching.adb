--  expect: circular-wait
--  Which lock comes first is decided by the tag.
procedure Dispatching is
   protected type Lock is
      entry Take;
      procedure Give;
   private
      Free : Boolean := True;
   end Lock;
   protected body Lock is
      entry Take when Free is begin Free := False; end Take;
      procedure Give is begin Free := True; end Give;
   end Lock;
   A, B : Lock;
   package Orders is
      type Order is tagged limited record N : Integer := 0; end record;
      procedure Run (O : in out Order);
      type Reversed is new Order with null record;
      overriding procedure Run (O : in out Reversed);
      type Order_Access is access all Order'Class;
   end Orders;
   package body Orders is
      procedure Run (O : in out Order) is
      begin
         A.Take; B.Take; B.Give; A.Give;
         O.N := O.N + 1;
      end Run;
      overriding procedure Run (O : in out Reversed) is
      begin
         B.Take; A.Take; A.Give; B.Give;
         O.N := O.N + 2;
      end Run;
   end Orders;
   First : aliased Orders.Order;
   Second : aliased Orders.Reversed;
   task type Worker (What : Orders.Order_Access);
   task body Worker is
   begin
      What.Run;
   end Worker;
   W1 : Worker (First'Access);
   W2 : Worker (Second'Access);
begin
   null;
end Dispatching;
