--  Model of the library unit.
with System;
package GNAT.Semaphores is
   Default_Ceiling : constant System.Priority := System.Default_Priority;

   protected type Counting_Semaphore (Initial_Value : Natural; Ceiling : System.Priority) is
      entry Seize;
      procedure Release;
   private
      Count : Natural := Initial_Value;
   end Counting_Semaphore;

   protected type Binary_Semaphore (Initially_Available : Boolean; Ceiling : System.Priority) is
      entry Seize;
      procedure Release;
   private
      Available : Boolean := Initially_Available;
   end Binary_Semaphore;
end GNAT.Semaphores;
