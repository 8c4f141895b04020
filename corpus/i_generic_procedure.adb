--  expect: holds
--  A generic procedure with a formal subprogram and a formal object.
procedure I_Generic_Procedure is
   generic
      Times : Positive;
      with procedure Action;
   procedure Repeat;
   procedure Repeat is
   begin
      for I in 1 .. Times loop
         Action;
      end loop;
   end Repeat;
   task Server is
      entry Hit;
   end Server;
   procedure Hit_Server is
   begin
      Server.Hit;
   end Hit_Server;
   procedure Thrice is new Repeat (3, Hit_Server);
   task body Server is
   begin
      for I in 1 .. 3 loop
         accept Hit;
      end loop;
   end Server;
begin
   Thrice;
end I_Generic_Procedure;
