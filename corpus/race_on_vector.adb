--  expect: race
--  Two tasks access one object, one writes.
with Ada.Calendar; with Ada.Strings.Unbounded; with Ada.Text_IO; with Ada.Containers.Vectors;
procedure Race_On_Vector is
package V is new Ada.Containers.Vectors (Positive, Integer); X : V.Vector;
   task T1; task T2;
   task body T1 is begin X.Append (1); end T1;
   task body T2 is begin X.Append (2); end T2;
begin null; end Race_On_Vector;
