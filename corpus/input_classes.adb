--  expect: holds
--  What is read decides twice: whoever is woken by one letter is waited for with the same one. Of
--  256 letters four kinds are told apart.
with Ada.Text_IO;

procedure Input_Classes is
   task Low is
      entry Go;
   end Low;

   task High is
      entry Go;
   end High;

   task body Low is
   begin
      select
         accept Go;
      or
         terminate;
      end select;
   end Low;

   task body High is
   begin
      select
         accept Go;
      or
         terminate;
      end select;
   end High;

   Letter : Character;
   Again  : Character;
   Low_Has_Gone, High_Has_Gone : Boolean := False;
begin
   Ada.Text_IO.Get (Letter);
   Again := Letter;
   case Letter is
      when 'a' .. 'm' =>
         Low.Go;
         Low_Has_Gone := True;
      when 'n' =>
         null;
      when others =>
         if Letter > 'n' then
            High.Go;
            High_Has_Gone := True;
         end if;
   end case;
   if Again in 'a' .. 'm' and not Low_Has_Gone then
      Low.Go;
      Low.Go;
   end if;
   if Again = 'n' and (Low_Has_Gone or High_Has_Gone) then
      High.Go;
      High.Go;
   end if;
end Input_Classes;
