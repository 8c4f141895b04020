//! In which ways tasks are blocked, in every state of a small program in which nobody can move.

use std::collections::HashSet;
use std::process::ExitCode;

use rendez_cases::Case;
use rendez_model::TaskId;
use rendez_verdict::{all_stuck, kinds_of_blocking};

fn main() -> ExitCode {
    let tables: [rendez_cases::Table; 1] = [("blocking", blocking)];
    rendez_cases::run(env!("CARGO_MANIFEST_DIR"), &tables)
}

/// The kinds, with the tasks that each is about, those that wait behind them, and why each of them waits.
fn blocking(case: &Case) -> String {
    let program = case.program();
    let semantics = rendez_analysis::semantics(&program, 32);
    let names = |tasks: &[TaskId]| -> String {
        let names: Vec<&str> = tasks.iter().map(|t| program.tasks[t.index()].name.as_str()).collect();
        names.join(", ")
    };
    let (mut known, mut work) = (HashSet::new(), vec![semantics.initial()]);
    let mut found: Vec<String> = Vec::new();
    while let Some(state) = work.pop() {
        if !known.insert(format!("{state:?}")) {
            continue;
        }
        let moves = semantics.enabled(&state);
        work.extend(moves.iter().filter_map(|m| semantics.step(&state, *m)).map(|outcome| outcome.state));
        let stuck = all_stuck(&program, &state);
        if !moves.is_empty() || stuck.is_empty() {
            continue;
        }
        let mut told = String::new();
        for blocked in kinds_of_blocking(&semantics, &state, &stuck) {
            told += &format!("{}: {}\n", blocked.kind.name(), names(&blocked.tasks));
            if !blocked.behind.is_empty() {
                told += &format!("  behind them: {}\n", names(&blocked.behind));
            }
            for wait in &blocked.waiting {
                let on = if wait.on.is_empty() { "nobody".into() } else { names(&wait.on) };
                told += &format!("  {} {} (on {on})\n", names(&[wait.task]), wait.reason);
            }
        }
        found.push(told);
    }
    found.sort();
    found.dedup();
    if found.is_empty() { "nobody is blocked for ever\n".into() } else { found.join("or\n") }
}
