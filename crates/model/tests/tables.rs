//! What programs mean: every step of small ones, what monitors see, the text form, and what makes a program invalid.

mod monitors;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use rendez_cases::Case;
use rendez_model::semantics::{Fate, Raised, Semantics, Step, StepEvent, Successor};
use rendez_model::state::{Lock, State, Status, Wait};
use rendez_model::{EntryId, ExceptionId, Program, TaskId, Value, text, validate};

fn main() -> ExitCode {
    rendez_cases::run(
        env!("CARGO_MANIFEST_DIR"),
        &[
            ("semantics", semantics),
            ("evaluation", evaluation),
            ("monitors", monitors::steps),
            ("text", round_trip),
            ("errors", errors),
            ("validation", validation),
        ],
    )
}

/// Every step of every reachable state, and in which states nobody can do anything. One line for each step: the state
/// before, `task choice -> what`, and the state after.
///
/// `! first 2 1` shows fewer schedules: task 2 goes on as long as it can, then task 1, then the others. `! recursion 2`
/// is the bound on recursion.
// What a state logs does not count when states are compared.
#[allow(clippy::mutable_key_type)]
fn semantics(case: &Case) -> String {
    let program = &case.program();
    let recursion = case.numbers("recursion").first().map_or(32, |n| *n as usize);
    let semantics = Semantics::bounded(program, recursion);
    let first = case.numbers("first");
    let mut states = vec![semantics.initial()];
    let mut number = HashMap::from([(states[0].clone(), 0)]);
    let (mut out, mut ends) = (String::new(), String::new());
    let mut at = 0;
    while at < states.len() {
        let before = states[at].clone();
        let mut moves = semantics.enabled(&before);
        if let Some(urgent) = first.iter().find(|t| moves.iter().any(|m| m.task.0 == **t)) {
            moves.retain(|m| m.task.0 == *urgent);
        }
        if moves.is_empty() {
            writeln!(ends, "end {at}: {}", situation(program, &before)).expect("a string");
        }
        for mv in moves {
            let Successor { state, step } = semantics.step(&before, mv).expect("an enabled move is a step");
            let change = changes(program, &before, &state);
            let next = *number.entry(state.clone()).or_insert(states.len());
            if next == states.len() {
                states.push(state);
            }
            let task = &program.tasks[mv.task.index()].name;
            let story = story(program, &step);
            writeln!(out, "{at}: {task} {} -> {story}{change} => {next}", mv.choice).expect("a string");
        }
        at += 1;
        assert!(at < 100, "too many states to be read");
    }
    out + &ends
}

fn task(program: &Program, task: TaskId) -> &str {
    &program.tasks[task.index()].name
}

/// What happened in a step.
fn story(program: &Program, step: &Step) -> String {
    let task = |t: &TaskId| task(program, *t);
    let tasks = |all: &[TaskId]| all.iter().map(task).collect::<Vec<_>>().join(" ");
    let entry = |e: &EntryId| program.entry_name(*e);
    let mut out = match &step.what {
        StepEvent::Ran => "runs".into(),
        StepEvent::Took(yes) => if *yes { "takes yes" } else { "takes no" }.into(),
        StepEvent::Chose(n) => format!("chooses {n}"),
        StepEvent::Got(value) => format!("gets {}", show(*value)),
        StepEvent::Queued(e) => format!("queues at {}", entry(e)),
        StepEvent::Accepted { caller, acceptor, entry: e, whole } => {
            let whole = if *whole { ", done" } else { "" };
            format!("{} meets {} in {}{whole}", task(caller), task(acceptor), entry(e))
        }
        StepEvent::Entered(e) => format!("enters {}", entry(e)),
        StepEvent::BarrierRaised(e) => format!("the barrier of {} raises", entry(e)),
        StepEvent::Waits => "waits".into(),
        StepEvent::TimedOut => "times out".into(),
        StepEvent::Otherwise => "else".into(),
        StepEvent::EndedAccept { caller, entry: e } => format!("ends {} of {}", entry(e), task(caller)),
        StepEvent::Requeued { caller, entry: e } => format!("requeues {} to {}", task(caller), entry(e)),
        StepEvent::Locked(o) => format!("locks {}", program.objects[o.index()].name),
        StepEvent::Released { object, served } => {
            let name = &program.objects[object.index()].name;
            let next = served.as_ref().map(|(t, e)| format!(", {} enters {}", task(t), entry(e)));
            format!("releases {name}{}", next.unwrap_or_default())
        }
        StepEvent::Activates(all) => format!("activates {}", tasks(all)),
        StepEvent::Ended(all) => format!("ends {}", tasks(all)),
        StepEvent::Aborted(all) => format!("aborts {}", tasks(all)),
        StepEvent::Transferred => "transfers".into(),
        StepEvent::AssertionFailed => "fails the assertion".into(),
        StepEvent::Stopped => "stops the execution".into(),
        StepEvent::Unsupported => "is not modelled".into(),
    };
    for Raised { task: t, loc, exception, fate, .. } in &step.raised {
        let name = program.exception_name(*exception);
        let fate = match fate {
            Fate::Handled(to) => format!("to {}", to.0),
            Fate::Died => "unhandled".into(),
        };
        write!(out, "; {name} in {} at {} {fate}", task(t), loc.0).expect("a string");
    }
    if step.guessed {
        out.push_str("; a guess");
    }
    out
}

fn show(value: Value) -> String {
    value.known().map_or("any".into(), |v| v.to_string())
}

fn changes(program: &Program, before: &State, after: &State) -> String {
    let mut out = String::new();
    for (i, var) in program.vars.iter().enumerate() {
        let (old, new) = (before.vars[i], after.vars[i]);
        if old != new {
            write!(out, "; {} := {}", var.name, show(new)).expect("a string");
        }
    }
    out
}

/// Where the tasks are that have not ended.
fn situation(program: &Program, state: &State) -> String {
    let mut alive = Vec::new();
    for (i, ts) in state.tasks.iter().enumerate() {
        let name = &program.tasks[i].name;
        let wait = match ts.wait {
            _ if ts.status == Status::Terminated => continue,
            _ if ts.status == Status::Unborn => "unborn".to_owned(),
            Wait::Nothing => format!("stands at {}", ts.pc.0),
            Wait::Queued { entry, .. } => format!("queues at {}", program.entry_name(entry)),
            Wait::Rendezvous { acceptor } => format!("is served by {}", task(program, acceptor)),
            Wait::Select { .. } => format!("selects at {}", ts.pc.0),
            Wait::Activation => "activates".into(),
        };
        let aborted = if ts.aborted { ", aborted" } else { "" };
        alive.push(format!("{name} {wait}{aborted}"));
    }
    for (i, lock) in state.locks.iter().enumerate().filter(|(_, lock)| **lock != Lock::Free) {
        alive.push(format!("{} is locked {lock:?}", program.objects[i].name));
    }
    if alive.is_empty() { "all have ended".into() } else { alive.join(", ") }
}

/// The value of the right side of each assignment, in the initial state.
fn evaluation(case: &Case) -> String {
    let program = case.program();
    let state = Semantics::new(&program).initial();
    let mut out = String::new();
    for node in &program.nodes {
        node.action.each_expr(&mut |e| {
            let value = match program.eval(&state, e) {
                Ok(value) => show(value),
                Err(exception) => program.exception_name(exception).to_owned(),
            };
            writeln!(out, "{} = {value}", text::expr(e)).expect("a string");
        });
    }
    out
}

/// What is printed of a program, which must parse back to the same one.
fn round_trip(case: &Case) -> String {
    let program = text::parse(&case.written_out()).expect("the text of a program");
    let printed = text::print(&program);
    let again = text::parse(&printed).expect("what was printed is read again");
    assert!(again == program, "printing loses something");
    // The predefined exceptions say nothing.
    let predefined = |line: &&str| !ExceptionId::PREDEFINED.iter().any(|e| line.contains(&format!("{e:?}")));
    printed.lines().filter(predefined).map(|line| format!("{line}\n")).collect()
}

/// What each line is refused for.
fn errors(case: &Case) -> String {
    let mut out = String::new();
    for line in case.text.lines().filter(|line| !line.starts_with('#')) {
        let answer = match text::parse(line) {
            Ok(_) => "accepted".into(),
            Err(error) => error.message,
        };
        writeln!(out, "{line}: {answer}").expect("a string");
    }
    out
}

/// Which invariants are broken.
fn validation(case: &Case) -> String {
    let program = text::parse(&case.written_out()).expect("the text of a program");
    let broken: Vec<String> = validate(&program).iter().map(ToString::to_string).collect();
    if broken.is_empty() { "valid".into() } else { broken.join("\n") }
}
