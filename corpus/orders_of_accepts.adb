--  expect: all
--  property: orders_of_accepts.qre
--
--  Servers and clients in pairs: what one pair does comes between what another does.
procedure Orders_Of_Accepts is
   N : constant := 4;
   task type Cell is
      entry Put (V : Integer);
      entry Get (V : out Integer);
   end Cell;
   Cells : array (1 .. N) of Cell;
   task type Client (I : Integer);
   task body Cell is
      X : Integer := 0;
   begin
      loop
         select
            accept Put (V : Integer) do
               X := V;
            end Put;
            accept Get (V : out Integer) do
               V := X;
            end Get;
         or
            terminate;
         end select;
      end loop;
   end Cell;
   task body Client is
      T : Integer;
   begin
      Cells (I).Put (I);
      Cells (I).Get (T);
      if T /= I then
         --@ event wrong_value
         null;
      end if;
   end Client;
   C1 : Client (1);
   C2 : Client (2);
   C3 : Client (3);
   C4 : Client (4);
begin
   null;
end Orders_Of_Accepts;
