//! What engines claim is looked for in their traces: false claims are noticed.

use std::collections::VecDeque;

use rendez_model::state::{Status, Wait};
use rendez_model::{ExceptionId, Loc};

use super::results::Verdict;
use super::*;
use crate::Reason;
use crate::blocking::kinds_of_blocking;
use crate::observation::races;

const EMBRACE: &str = "procedure P is
   task X is entry E; end X;
   task Y is entry E; end Y;
   task Log is entry Put; end Log;
   task body X is begin Y.E; accept E; Log.Put; end X;
   task body Y is begin X.E; accept E; end Y;
   task body Log is begin accept Put; end Log;
   task Clock is entry Tick; end Clock;
   task User;
   task body Clock is begin loop accept Tick; end loop; end Clock;
   task body User is begin loop Clock.Tick; end loop; end User;
begin
   null;
end P;";

const WORKERS: &str = "procedure P is
   Flag : Boolean := False;
   pragma Volatile (Flag);
   N : Integer range 0 .. 3 := 0;
   task A;
   task B;
   task body A is
   begin
      while not Flag loop
         null;
      end loop;
   end A;
   task body B is
   begin
      loop
         N := (N + 1) mod 3;
         pragma Assert (N < 3);
         if N = 3 then
            Flag := True;
         end if;
      end loop;
   end B;
begin
   N := 0;
end P;";

fn program(source: &str) -> Program {
    rendez_ada::read_text(source).program.expect("a program")
}

fn task(program: &Program, name: &str) -> TaskId {
    let is_it = |t: &rendez_model::Task| t.name.eq_ignore_ascii_case(name);
    program.tasks.iter().position(is_it).map(TaskId::from).expect("a task")
}

/// The nearest state with a property, and the moves that lead there.
fn find(semantics: &Semantics, is_it: impl Fn(&State) -> bool) -> (Vec<Move>, State) {
    let mut seen = std::collections::HashSet::new();
    let mut queue = VecDeque::from([(Vec::new(), semantics.initial())]);
    while let Some((moves, state)) = queue.pop_front() {
        if is_it(&state) {
            return (moves, state);
        }
        for mv in semantics.enabled(&state) {
            let next = semantics.step(&state, mv).expect("a step").state;
            let mut bytes = Vec::new();
            next.encode(&mut bytes);
            if seen.insert(bytes) {
                let moves = moves.iter().copied().chain([mv]).collect();
                queue.push_back((moves, next));
            }
        }
    }
    panic!("no such state");
}

fn waits(state: &State, task: TaskId) -> bool {
    matches!(state.tasks[task.index()].wait, Wait::Queued { .. })
}

fn answer(findings: &mut Findings, kind: Kind) -> Verdict {
    let entries = Entries::new(findings.program);
    findings.answers(&entries, |_| None).into_iter().find(|(k, _)| *k == kind).expect("a check").1
}

/// Two tasks in a deadly embrace, with one that waits behind them, and two that go on.
fn embraced(semantics: &Semantics) -> (Vec<TaskId>, Vec<Move>, State) {
    let program = semantics.program;
    let tasks: Vec<TaskId> = ["P", "X", "Y", "Log"].iter().map(|n| task(program, n)).collect();
    let log = |state: &State| matches!(state.tasks[tasks[3].index()].wait, Wait::Select { .. });
    let parent = |state: &State| {
        let ts = &state.tasks[0];
        ts.wait == Wait::Nothing && matches!(program.node(ts.pc).action, Action::Await { .. })
    };
    let (moves, state) = find(semantics, |s| waits(s, tasks[1]) && waits(s, tasks[2]) && log(s) && parent(s));
    (tasks, moves, state)
}

#[test]
fn tasks_that_are_stuck_beside_others_have_their_kind() {
    let program = program(EMBRACE);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let (tasks, moves, state) = embraced(&semantics);
    let mut findings = Findings::new(&semantics);
    findings.forever(&Nonprogress::Stuck(tasks.clone()), &moves, &state);
    assert_eq!(findings.contradictions, Vec::<String>::new());
    let Verdict::Violated(list) = answer(&mut findings, Kind::CircularWait) else { panic!("no circle") };
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].tasks, tasks[1..3]);
    assert_eq!(list[0].message, "X and Y wait for each other for ever; Log waits behind them");
    // Everybody who is stuck is in this one finding.
    let named: Vec<TaskId> = list[0].waiting.iter().map(|w| w.task).collect();
    assert_eq!(named, tasks);
}

#[test]
fn a_task_that_can_go_on_is_not_stuck() {
    let program = program(EMBRACE);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let (mut tasks, moves, state) = embraced(&semantics);
    tasks.push(task(&program, "User"));
    let mut findings = Findings::new(&semantics);
    findings.forever(&Nonprogress::Stuck(tasks.clone()), &moves, &state);
    assert_eq!(findings.contradictions.len(), 1);
    assert!(findings.contradictions[0].ends_with("can go on"), "{:?}", findings.contradictions);
    assert!(findings.is_empty());
    // Nor is everybody.
    let mut findings = Findings::new(&semantics);
    findings.seen(&Observation::Blocked, &moves, &state);
    assert_eq!(findings.contradictions.len(), 1);
}

#[test]
fn the_kind_is_that_of_the_state_in_which_everybody_has_settled() {
    let program = program(EMBRACE);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let (tasks, moves, state) = embraced(&semantics);
    // One of the circle alone would be a blocked client.
    let one = &tasks[1..2];
    let claimed = kinds_of_blocking(&semantics, &state, one);
    assert_eq!(claimed[0].kind, Kind::ClientBlocked);
    let mut findings = Findings::new(&semantics);
    findings.forever(&Nonprogress::Stuck(one.to_vec()), &moves, &state);
    assert_eq!(findings.contradictions.len(), 1);
    assert!(findings.contradictions[0].ends_with("the trace does not show it"));
    // Who knows only that this one is stuck is told the rest.
    let mut findings = Findings::new(&semantics);
    findings.stuck(one, &moves, &state);
    assert!(findings.contradictions.is_empty());
    assert!(findings.any(Kind::CircularWait) && !findings.any(Kind::ClientBlocked));
    // It is so before the other has made its call, too.
    let (x, y) = (tasks[1], tasks[2]);
    let call = |s: &State| matches!(program.node(s.tasks[y.index()].pc).action, Action::EntryCall { .. });
    let (moves, early) = find(&semantics, |s| waits(s, x) && !waits(s, y) && call(s));
    let mut findings = Findings::new(&semantics);
    findings.stuck(&[x], &moves, &early);
    assert!(findings.contradictions.is_empty(), "{:?}", findings.contradictions);
    assert!(findings.any(Kind::CircularWait) && !findings.any(Kind::ClientBlocked));
}

#[test]
fn what_cannot_be_shown_is_not_certain() {
    let source = "procedure P is
       protected Gate is entry Wait; procedure Open; private Is_Open : Boolean := False; end Gate;
       protected body Gate is
          entry Wait when Is_Open is begin null; end Wait;
          procedure Open is begin Is_Open := True; end Open;
       end Gate;
       N : Integer range 0 .. 3 := 0;
       task A; task B;
       task body A is begin Gate.Wait; end A;
       task body B is
       begin
          loop
             N := (N + 1) mod 3;
             if N = 3 then Gate.Open; end if;
          end loop;
       end B;
    begin
       null;
    end P;";
    let program = program(source);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let a = task(&program, "A");
    let parent = |s: &State| matches!(program.node(s.tasks[0].pc).action, Action::Await { .. });
    let (moves, state) = find(&semantics, |s| waits(s, a) && parent(s));
    for (left, certain) in [(MOST_IN_ALL, true), (1, false)] {
        let mut findings = Findings::new(&semantics);
        findings.left = left;
        findings.forever(&Nonprogress::Stuck(vec![a]), &moves, &state);
        assert!(findings.contradictions.is_empty(), "{:?}", findings.contradictions);
        assert_eq!(findings.any_error(), certain);
        match answer(&mut findings, Kind::ClientBlocked) {
            Verdict::Violated(list) => assert!(certain && list[0].is_certain()),
            Verdict::Inconclusive(why, list) => {
                assert!(!certain && why == Reason::NotShownToLast && list[0].unshown);
            }
            Verdict::Holds => panic!("nothing was found"),
        }
    }
}

#[test]
fn who_makes_progress_does_not_wait_busily() {
    let program = program(WORKERS);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let (a, b) = (task(&program, "A"), task(&program, "B"));
    let branch = |t: TaskId| {
        move |s: &State| {
            matches!(s.tasks[t.index()].wait, Wait::Nothing) && s.tasks[t.index()].status == Status::Active
        }
    };
    let (moves, state) = find(&semantics, |s| branch(a)(s) && branch(b)(s));
    for (task, left, right) in [(a, MOST_IN_ALL, true), (b, MOST_IN_ALL, false), (a, 1, true)] {
        let mut findings = Findings::new(&semantics);
        findings.left = left;
        findings.forever(&Nonprogress::Spins(task), &moves, &state);
        assert_eq!(findings.contradictions.is_empty(), right, "{:?}", findings.contradictions);
        assert_eq!(findings.any_error(), right);
    }
}

#[test]
fn what_a_step_or_a_state_does_not_show_is_a_contradiction() {
    let program = program(WORKERS);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let (main, b) = (task(&program, "P"), task(&program, "B"));
    let at = |wanted: &dyn Fn(&Action) -> bool| -> Loc {
        let place = program.nodes.iter().position(|n| wanted(&n.action));
        Loc::from(place.expect("a place"))
    };
    let assert = at(&|a| matches!(a, Action::Assert { .. }));
    let (moves, state) = find(&semantics, |s| s.tasks[b.index()].pc == assert);
    let n = program.vars.iter().position(|v| v.name.eq_ignore_ascii_case("n")).expect("n");
    let here = state.tasks[main.index()].pc;
    for false_claim in [
        Observation::Assertion { task: b, loc: assert },
        Observation::Exception {
            task: b,
            loc: assert,
            exception: ExceptionId::PROGRAM_ERROR,
            died: true,
            by_tasking: false,
        },
        // The main program is not about to write.
        Observation::Race {
            var: n.into(),
            first: (main, here),
            second: (b, assert),
            writes: (true, true),
            certain: true,
        },
    ] {
        let mut findings = Findings::new(&semantics);
        findings.seen(&false_claim, &moves, &state);
        assert!(findings.is_empty(), "{false_claim:?}");
        assert_eq!(findings.contradictions.len(), 1, "{false_claim:?}");
        assert!(findings.contradictions[0].ends_with("the trace does not show it"));
    }
    // A real race is taken in.
    let access = Access::new(&program);
    let found = std::cell::RefCell::new(None);
    let (moves, state) = find(&semantics, |s| {
        races(&program, &access, s, |race| *found.borrow_mut() = Some(race));
        found.borrow().is_some()
    });
    let race = found.into_inner().expect("a race");
    let mut findings = Findings::new(&semantics);
    findings.seen(&race, &moves, &state);
    assert!(findings.contradictions.is_empty() && findings.any(Kind::Race));
}

/// Each stuck task is in exactly one finding.
#[test]
fn separate_circles_are_separate_findings() {
    let source = "procedure P is
       task A is entry E; end A; task B is entry E; end B;
       task C is entry E; end C; task D is entry E; end D;
       task Gone is entry E; entry F; end Gone;
       task Late; task Idle is entry E; end Idle;
       task Patient is entry E; end Patient;
       task body A is begin B.E; accept E; end A;
       task body B is begin A.E; accept E; end B;
       task body C is begin D.E; accept E; end C;
       task body D is begin C.E; accept E; end D;
       task body Gone is begin accept E; end Gone;
       task body Late is begin Gone.F; end Late;
       task body Idle is begin accept E; end Idle;
       task body Patient is begin select accept E; or terminate; end select; end Patient;
    begin
       null;
    end P;";
    let program = program(source);
    let semantics = rendez_analysis::semantics(&program, rendez_model::semantics::DEFAULT_RECURSION);
    let (_, state) = find(&semantics, |s| semantics.enabled(s).is_empty());
    let stuck = all_stuck(&program, &state);
    let found = kinds_of_blocking(&semantics, &state, &stuck);
    let names = |tasks: &[TaskId]| -> Vec<&str> {
        tasks.iter().map(|t| program.tasks[t.index()].name.as_str()).collect()
    };
    let told: Vec<(Kind, Vec<&str>)> = found.iter().map(|b| (b.kind, names(&b.tasks))).collect();
    assert_eq!(
        told,
        [
            (Kind::CircularWait, vec!["A", "B"]),
            (Kind::CircularWait, vec!["C", "D"]),
            (Kind::ClientBlocked, vec!["Late"]),
            (Kind::ServerIdle, vec!["Gone", "Idle"]),
        ]
    );
    let mut all: Vec<TaskId> = found.iter().flat_map(|b| b.waiting.iter().map(|w| w.task)).collect();
    all.sort();
    assert_eq!(all, stuck);
}
