--  A task of the environment comes when it likes: however fair the scheduler is, it may never come.
--  options: --fair fifo
--  expect: assert@25
procedure Ctl_Environment is
   task Server is
      entry Ring;
   end Server;

   task Visitor;
   pragma Annotate (Rendez, Background, Visitor);

   task body Server is
   begin
      loop
         select
            accept Ring;
         or
            delay 1.0;
         end select;
      end loop;
   end Server;

   task body Visitor is
   begin
      --@ assert eventually accept Server.Ring
      Server.Ring;
   end Visitor;
begin
   null;
end Ctl_Environment;
