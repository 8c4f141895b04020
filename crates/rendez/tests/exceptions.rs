//! What the code alone shows about exceptions, on programs that raise some and on programs that nearly do.

use rendez_verdict::Kind::{self, ProgramError, TaskingError, UnhandledException};

fn never_raised(declarations: &str, body: &str) -> Vec<Kind> {
    let source = format!("procedure Main is\n{declarations}\nbegin\n{body}\nend Main;\n");
    let read = rendez_ada::read_text(&source);
    let mut program = read.program.unwrap_or_else(|| panic!("{source}\n{:?}", read.diagnostics));
    rendez_analysis::passes::propagate_constants(&mut program);
    rendez_reach::never_raised(&program)
}

#[track_caller]
fn check(declarations: &str, body: &str, expected: &[Kind]) {
    assert_eq!(never_raised(declarations, body), expected, "{declarations}\n{body}");
}

const ALL: [Kind; 3] = [TaskingError, ProgramError, UnhandledException];
/// Something may be raised by a check or a raise statement, in the main program.
const NO_RULE_BROKEN: [Kind; 2] = [TaskingError, ProgramError];

const COUNTER: &str = "   X : Integer range 0 .. 10 := 0;";

#[test]
fn counters_are_followed() {
    check(COUNTER, "for I in 1 .. 1_000_000 loop X := I mod 7; end loop;", &ALL);
    check(COUNTER, "for I in 1 .. 1_000_000 loop X := I mod 17; end loop;", &NO_RULE_BROKEN);
    check(COUNTER, "while X < 10 loop X := X + 1; end loop;", &ALL);
    check(COUNTER, "while X <= 10 loop X := X + 1; end loop;", &NO_RULE_BROKEN);
    check(COUNTER, "loop if X = 10 then X := 0; else X := X + 1; end if; end loop;", &ALL);
    check(COUNTER, "loop if X = 9 then X := 0; else X := X + 1; end if; end loop;", &ALL);
    let falls = |divisor: &str| {
        format!("X := 9; loop if X /= 0 and then 10 / {divisor} > 2 then X := X - 1; end if; end loop;")
    };
    check(COUNTER, &falls("X"), &ALL);
    check(COUNTER, &falls("(X - 1)"), &NO_RULE_BROKEN);
}

#[test]
fn what_another_task_sets_may_be_anything() {
    let shared = "   X : Integer range 0 .. 10 := 0;\n   task T;\n   task body T is begin X := 10; end T;";
    check(shared, "if X < 10 then X := X + 1; end if;", &NO_RULE_BROKEN);
    check(shared, "X := 3;", &ALL);
}

#[test]
fn locals_begin_anew_with_each_call() {
    let set = "   procedure P (N : Integer) is\n      L : Integer range 0 .. 10;\n   begin\n      L := 0;\n      while L < N mod 5 loop L := L + 1; end loop;\n   end P;";
    check(set, "P (3); P (4);", &ALL);
    // A local that is not set yet does not have the value that it had at the end of the last call.
    let kept = "   procedure P is
      L : Integer range 0 .. 10;
   begin
      if L'Valid and then L = 10 then L := L - 10; end if;
      if L'Valid and then L = 9 then raise Constraint_Error; end if;
      L := 9;
   end P;";
    assert!(!never_raised(kept, "P; P; P;").contains(&UnhandledException));
}

#[test]
fn rules_of_tasking_are_kept_apart() {
    let called = "   task T is entry E; end T;\n   task body T is begin accept E; end T;";
    check(called, "T.E;", &[ProgramError, UnhandledException]);
    let closed = "   X : Integer := 0;\n   task T is entry E; end T;\n   task body T is\n      Open : Boolean := X > 1;\n   begin\n      select when Open => accept E; or when not Open => accept E; end select;\n   end T;";
    check(closed, "X := 2;", &[TaskingError, UnhandledException]);
    let dies = "   X : Integer := 1;\n   task T;\n   task body T is\n      L : Integer range 0 .. 3 := 4 - X;\n   begin\n      X := L;\n   end T;";
    assert!(!never_raised(dies, "X := 0;").contains(&TaskingError));
    let barrier = "   protected P is entry E; private N : Integer := 1; end P;\n   protected body P is entry E when 10 / N > 1 is begin N := 0; end E; end P;";
    check(barrier, "P.E;", &[TaskingError, UnhandledException]);
}

#[test]
fn handlers_are_followed() {
    let called = "   task T is entry E; end T;\n   task body T is begin accept E; end T;\n   X : Integer range 0 .. 1 := 0;";
    check(called, "begin T.E; exception when Tasking_Error => X := X + 2; end;", &[ProgramError]);
    // An exception of an accept body reaches the caller.
    let body = "   task T is entry E; end T;\n   task body T is begin accept E do raise Constraint_Error; end E; end T;";
    check(body, "begin T.E; exception when others => null; end;", &[ProgramError]);
}

#[test]
fn what_is_not_covered_proves_nothing() {
    let aborted = "   task T;\n   task body T is begin loop null; end loop; end T;";
    check(aborted, "abort T;", &[]);
    let again =
        "   function F (N : Integer) return Integer is (if N = 0 then 0 else F (N - 1));\n   X : Integer;";
    check(again, "X := F (3);", &[]);
}

/// The result of a call that leaves an out parameter unset is not that of the call before.
#[test]
fn results_may_be_left_unset() {
    let sometimes = "   R : Integer := 0;
   procedure P (B : Boolean; N : out Integer) is begin if B then N := 5; end if; end P;";
    let body = "P (True, R); P (False, R); if R /= 5 then raise Constraint_Error; end if;";
    assert!(!never_raised(sometimes, body).contains(&UnhandledException));
}

#[test]
fn an_activation_may_fail_in_a_call() {
    let calls = "   protected P is entry E; end P;
   protected body P is entry E when True is begin raise Constraint_Error; end E; end P;
   function F return Integer is begin P.E; return 1; end F;";
    let body = "declare task T; task body T is Y : Integer := F; begin null; end T; begin null; end;";
    assert!(!never_raised(calls, body).contains(&TaskingError));
}

#[test]
fn a_task_may_begin_again_with_the_values_that_it_left() {
    let again = "   procedure P is
      task T;
      task body T is
         L : Integer range 0 .. 3;
      begin
         if L'Valid and then L = 3 then L := L + 1; else L := 3; end if;
      end T;
   begin
      null;
   end P;";
    assert!(!never_raised(again, "P; P;").contains(&UnhandledException));
}
