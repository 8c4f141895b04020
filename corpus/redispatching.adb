--  expect: circular-wait?, client-blocked?, server-idle?, spin?, tasking-error?, program-error?, unhandled-exception?, race?, assertion?, dead-entry?
--  A conversion to the class makes a call dispatch: on a parameter that is not followed.
procedure Redispatching is
   protected Gate is entry Wait; end Gate;
   protected body Gate is entry Wait when False is begin null; end Wait; end Gate;
   package Bases is
      type Base is tagged null record;
      procedure Step (B : Base);
      procedure Run (B : Base);
   end Bases;
   package body Bases is
      procedure Step (B : Base) is begin null; end Step;
      procedure Run (B : Base) is begin Step (Base'Class (B)); end Run;
   end Bases;
   package Rest is
      type Other is new Bases.Base with null record;
      overriding procedure Step (B : Other);
   end Rest;
   package body Rest is
      procedure Step (B : Other) is begin Gate.Wait; end Step;
   end Rest;
   X : Rest.Other;
begin
   X.Run;
end Redispatching;
