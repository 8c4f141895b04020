--  expect: holds
--  An entry renamed as a procedure, an object and a package renamed.
procedure Renaming is
   package Inner is
      task Server is
         entry Work (N : Integer);
      end Server;
   end Inner;
   package body Inner is
      task body Server is
      begin
         accept Work (N : Integer) do
            pragma Assert (N = 5);
         end Work;
      end Server;
   end Inner;
   package Short renames Inner;
   procedure Work (N : Integer) renames Short.Server.Work;
begin
   Work (5);
end Renaming;
