--  expect: client-blocked, dead-entry
--  A record and a protected object with access discriminants: what they designate is changed.
procedure Discriminant_Of_Record is
   protected Gate is
      entry Wait;
   end Gate;
   protected body Gate is
      entry Wait when False is
      begin
         null;
      end Wait;
   end Gate;
   Flag, Other : aliased Boolean := False;
   type Context (Done : access Boolean) is limited record
      null;
   end record;
   protected type Setter (Done : access Boolean) is
      procedure Set;
   end Setter;
   protected body Setter is
      procedure Set is
      begin
         Done.all := True;
      end Set;
   end Setter;
   procedure Work (C : Context) is
   begin
      C.Done.all := True;
   end Work;
   C : Context (Flag'Access);
   S : Setter (Other'Access);
begin
   Work (C);
   S.Set;
   if Flag and Other then
      Gate.Wait;
   end if;
end Discriminant_Of_Record;
