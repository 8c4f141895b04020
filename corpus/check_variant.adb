--  expect: unhandled-exception
--  A component of another variant than the one at hand.
procedure Check_Variant is
   type Msg (K : Boolean := False) is record
      case K is
         when True => N : Integer := 1;
         when False => null;
      end case;
   end record;
   M : Msg;
   X : Integer := 0;
begin
   if X = 0 then M := (K => False); end if;
   X := M.N;
   if X = 5 then raise Program_Error; end if;
end Check_Variant;
