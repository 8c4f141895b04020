--  expect: assertion?, circular-wait?, client-blocked?, dead-entry?, program-error?, race?, server-idle?, spin?, tasking-error?, unhandled-exception?
--  trace: tasks of Filter create tasks of Filter at most 3 deep
--  Tasks that create tasks of their own kind.
procedure Bound_Of_Makers is
   task type Filter is
      entry Input (N : Integer);
   end Filter;
   type Ref is access Filter;
   function Make return Ref;
   Primes : Integer := 0;
   pragma Volatile (Primes);
   protected Count is procedure Inc; function Get return Integer; private N : Integer := 0; end Count;
   protected body Count is
      procedure Inc is begin N := N + 1; end Inc;
      function Get return Integer is (N);
   end Count;
   task body Filter is
      P, V : Integer;
      Next : Ref;
   begin
      accept Input (N : Integer) do P := N; end Input;
      if P > 0 then
         Count.Inc;
         Next := Make;
         loop
            accept Input (N : Integer) do V := N; end Input;
            if V = 0 or else V mod P /= 0 then Next.Input (V); end if;
            exit when V = 0;
         end loop;
      end if;
   end Filter;
   function Make return Ref is (new Filter);
begin
   declare
      First : Ref := Make;
   begin
      for I in 2 .. 7 loop First.Input (I); end loop;
      First.Input (0);
   end;
end Bound_Of_Makers;
