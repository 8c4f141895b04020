--  expect: client-blocked, dead-entry
--  E is A (2) for ever, so A (2) = 20 and main waits.
procedure Renamed_Element is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   A : array (1 .. 3) of Integer := (1, 2, 3);
   I : Integer := 2;
   E : Integer renames A (I);
begin
   I := 3;
   E := 20;
   if A (2) = 20 then Gate.Wait; end if;
end Renamed_Element;
