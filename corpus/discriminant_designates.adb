--  expect: client-blocked, dead-entry
--  Record with an access discriminant to a scalar.
procedure Discriminant_Designates is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   Flag : aliased Boolean := False;
   type Ctx (Done : access Boolean) is limited record null; end record;
   procedure Work (C : Ctx) is begin C.Done.all := True; end Work;
   C : Ctx (Flag'Access);
begin
   Work (C);
   if Flag then Gate.Wait; end if;
end Discriminant_Designates;
