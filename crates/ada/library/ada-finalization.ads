--  Model of the library unit. What a type does with Initialize, Adjust and Finalize is followed
--  for objects that are declared; see the front end.
package Ada.Finalization is
   type Controlled is tagged null record;
   procedure Initialize (Object : in out Controlled) is null;
   procedure Adjust (Object : in out Controlled) is null;
   procedure Finalize (Object : in out Controlled) is null;
   type Limited_Controlled is tagged null record;
   procedure Initialize (Object : in out Limited_Controlled) is null;
   procedure Finalize (Object : in out Limited_Controlled) is null;
end Ada.Finalization;
