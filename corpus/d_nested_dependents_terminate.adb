--  expect: holds
--  Two servers that call each other's way out: all wait at terminate, all end together.
procedure D_Nested_Dependents_Terminate is
   task type Server is
      entry Ping;
   end Server;
   task body Server is
      task Helper is
         entry Help;
      end Helper;
      task body Helper is
      begin
         loop
            select
               accept Help;
            or
               terminate;
            end select;
         end loop;
      end Helper;
   begin
      loop
         select
            accept Ping;
            Helper.Help;
         or
            terminate;
         end select;
      end loop;
   end Server;
   A, B : Server;
begin
   A.Ping;
   B.Ping;
end D_Nested_Dependents_Terminate;
