--  expect: holds
--  The handler that names the exception is taken, not `others`.
procedure K_Handler_Choices is
   First, Second : exception;
   X : Integer := 0;
   task T;
   task body T is
   begin
      raise Second;
   exception
      when First => X := 1;
      when Second | Constraint_Error => X := 2;
      when others => X := 3;
   end T;
begin
   null;
end K_Handler_Choices;
