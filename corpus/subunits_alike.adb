--  expect: holds
--  Subunits of the same name belong to different parents.
package One is
   procedure Work (Done : out Boolean);
end One;

package body One is
   procedure Work (Done : out Boolean) is separate;
end One;

separate (One)
procedure Work (Done : out Boolean) is
begin
   Done := True;
end Work;

package Two is
   procedure Work (Done : out Boolean);
end Two;

package body Two is
   procedure Work (Done : out Boolean) is separate;
end Two;

separate (Two)
procedure Work (Done : out Boolean) is
begin
   Done := False;
end Work;

with One;
with Two;
procedure Subunits_Alike is
   A, B : Boolean;
begin
   One.Work (A);
   Two.Work (B);
   pragma Assert (A);
   pragma Assert (not B);
end Subunits_Alike;
