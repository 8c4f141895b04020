--  The teller machine of the FLAVERS papers, with its off-by-one error.
--  property: atm.qre
--  expect: figure_11
--  trace: figure_11 does not hold after: invalid, invalid
with Ada.Integer_Text_IO;
procedure ATM_Example is
   task Customer is
      entry Valid; entry Invalid; entry Eat_Card;
   end Customer;
   task ATM is
      entry Insert_Card; entry Enter_PIN; entry Transaction;
   end ATM;
   task body Customer is
   begin
      ATM.Insert_Card;
      loop
         ATM.Enter_PIN;
         select
            accept Valid;
            ATM.Transaction;
            exit;
         or
            accept Invalid;
         or
            accept Eat_Card;
            exit;
         end select;
      end loop;
   end Customer;
   task body ATM is
      Count : Integer range 0 .. 2;
      PIN   : Integer range 0 .. 9;
   begin
      Count := 0;
      accept Insert_Card;
      loop
         accept Enter_PIN;
         Ada.Integer_Text_IO.Get (PIN);
         if PIN = 7 then
            Customer.Valid;
            accept Transaction;
            exit;
         else
            if Count = 2 then
               Customer.Eat_Card;
               exit;
            else
               Customer.Invalid;
               Count := Count + 1;
            end if;
         end if;
      end loop;
   end ATM;
begin
   null;
end ATM_Example;
