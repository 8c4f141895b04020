--  expect: client-blocked?, dead-entry
--  Real arithmetic decides.
procedure Float_Decides is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   F : Float := 1.5;
   N : Integer;
begin
   F := F * 2.0;
   N := Integer (F) + Integer (2.5);
   if N = 6 and F > 2.9 then Gate.Wait; end if;
end Float_Decides;
