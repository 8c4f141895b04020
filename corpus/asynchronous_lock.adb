--  expect: holds
--  An abortable part is left while a procedure that it calls holds a lock: finalisation releases it.
with Ada.Finalization;
procedure Asynchronous_Lock is
   protected M is entry P; procedure V; private F : Boolean := True; end M;
   protected body M is
      entry P when F is begin F := False; end P;
      procedure V is begin F := True; end V;
   end M;
   package L is
      type Lock is new Ada.Finalization.Limited_Controlled with null record;
      overriding procedure Initialize (X : in out Lock);
      overriding procedure Finalize (X : in out Lock);
   end L;
   package body L is
      overriding procedure Initialize (X : in out Lock) is begin M.P; end Initialize;
      overriding procedure Finalize (X : in out Lock) is begin M.V; end Finalize;
   end L;
   procedure Work is
      X : L.Lock;
   begin
      delay 10.0;
   end Work;
begin
   select
      delay 0.01;
   then abort
      Work;
   end select;
   M.P;
   M.V;
end Asynchronous_Lock;
