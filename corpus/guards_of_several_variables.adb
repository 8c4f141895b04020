--  expect: holds
--  Each guard looks at a variable of its own, one of them set by a caller. A step of a caller depends on one
--  of them only.
procedure Guards_Of_Several_Variables is
   subtype Number is Positive range 1 .. 3;

   task Desk is
      entry Take (Number) (Who : Positive);
      entry Give (Number);
   end Desk;

   task type Client (Id : Positive);

   task body Desk is
      Owner : array (Number) of Natural := (others => 0);
   begin
      loop
         select
            when Owner (1) = 0 =>
               accept Take (1) (Who : Positive) do
                  Owner (1) := Who;
               end Take;
         or
            when Owner (2) = 0 =>
               accept Take (2) (Who : Positive) do
                  Owner (2) := Who;
               end Take;
         or
            when Owner (3) = 0 =>
               accept Take (3) (Who : Positive) do
                  Owner (3) := Who;
               end Take;
         or
            when Owner (1) /= 0 =>
               accept Give (1);
               Owner (1) := 0;
         or
            when Owner (2) /= 0 =>
               accept Give (2);
               Owner (2) := 0;
         or
            when Owner (3) /= 0 =>
               accept Give (3);
               Owner (3) := 0;
         or
            terminate;
         end select;
      end loop;
   end Desk;

   task body Client is
   begin
      for Which in Number loop
         Desk.Take (Which) (Id);
         Desk.Give (Which);
      end loop;
   end Client;

   One   : Client (1);
   Two   : Client (2);
   Three : Client (3);
begin
   null;
end Guards_Of_Several_Variables;
