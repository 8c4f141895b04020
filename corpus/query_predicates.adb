--  Queries whose events are meant by what they look like, with the names of enumeration literals.
--  property: query_predicates.inca
--  expect: e2_is_noted, something_but_notes
procedure Query_Predicates is
   type Kind is (E1, E2);
   task Dispatcher is
      entry Register (Event : Kind);
      entry Unregister (Event : Kind);
      entry Note (Event : Kind);
   end Dispatcher;
   task body Dispatcher is
      Wanted : array (Kind) of Boolean := (others => False);
   begin
      loop
         select
            accept Register (Event : Kind) do
               Wanted (Event) := True;
            end Register;
         or
            accept Unregister (Event : Kind) do
               Wanted (Event) := False;
            end Unregister;
         or
            when Wanted (E1) or Wanted (E2) =>
               accept Note (Event : Kind);
         or
            terminate;
         end select;
      end loop;
   end Dispatcher;
   task A1;
   task body A1 is
   begin
      Dispatcher.Register (E1);
      Dispatcher.Note (E2);
      Dispatcher.Note (E1);
      Dispatcher.Unregister (E1);
   end A1;
begin
   null;
end Query_Predicates;
