--  expect: server-idle?, tasking-error?, unhandled-exception?
--  Nobody says what becomes of a timed call in a protected action: it may raise Program_Error.
procedure Blocking_Perhaps_Timed is
   task T is entry E; end T;
   task body T is begin accept E; end T;
   protected P is procedure Q; end P;
   protected body P is
      procedure Q is begin select T.E; or delay 0.1; end select; end Q;
   end P;
begin
   P.Q;
   T.E;
end Blocking_Perhaps_Timed;
