//! Running a program under one schedule: random, saved, or chosen step by step.

use std::io::{BufRead, IsTerminal, Write};

use rendez_model::VarId;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_report::describe;
use rendez_verdict::TraceStep;

use rendez::{Prepared, saved_trace};

use crate::arguments::Simulate;
use crate::status::{BAD_INPUT, failed};

pub fn run(simulate: &Simulate) -> u8 {
    let how = simulate.input.preparation_without_formulas();
    let ready = crate::read(&simulate.input).and_then(|loaded| rendez::prepare(loaded, &how, Vec::new()));
    let ready = ready.and_then(|ready| ready.is_executable().map(|()| ready));
    let ready = match ready {
        Ok(ready) => ready,
        Err(error) => return failed(&error),
    };
    if let Some(file) = &simulate.trace {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                crate::complain!("error: {}: cannot be read: {error}", file.display());
                return BAD_INPUT;
            }
        };
        return match saved_trace::parse(&text) {
            Ok(moves) => follow(&ready, &moves, &file.display().to_string()),
            Err((line, why)) => {
                crate::complain!("error: {}:{line}:1: {why}", file.display());
                BAD_INPUT
            }
        };
    }
    match simulate.seed {
        Some(seed) => random(&ready, seed, simulate.steps),
        None if std::io::stdin().is_terminal() => interactive(&ready),
        None => {
            crate::complain!("error: without a terminal, say how to choose: --seed N or --trace FILE");
            BAD_INPUT
        }
    }
}

/// Prints what one step did.
fn tell(ready: &Prepared, number: usize, before: &State, after: &rendez_model::semantics::Successor) {
    let program = &ready.program;
    let changes = before
        .vars
        .iter()
        .zip(after.state.vars.iter())
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .map(|(i, (_, b))| (VarId::from(i), *b))
        .collect();
    let step = TraceStep { step: after.step.clone(), changes };
    let span = program.node(step.step.loc).span;
    let text = match describe(program, &step) {
        Some((text, _)) => text,
        None if span.is_nowhere() => return,
        None => ready.map.line(span.file, span.line).trim().to_owned(),
    };
    let task = &program.tasks[step.step.task.index()].name;
    crate::say!("{number:>5}  {task}  {text}  {}:{}", ready.map.name(span.file), span.line);
}

/// Says how the execution ended, and who waits for whom.
fn conclude(ready: &Prepared, semantics: &Semantics, state: &State) -> u8 {
    let waiting = rendez_verdict::why_blocked(semantics, state);
    if waiting.is_empty() {
        crate::say!("the program has ended");
        return 0;
    }
    crate::say!("nobody can go on:");
    for w in waiting {
        let task = &ready.program.tasks[w.task.index()].name;
        crate::say!("       {task}  {}  {}:{}", w.reason, ready.map.name(w.span.file), w.span.line);
    }
    1
}

fn follow(ready: &Prepared, moves: &[Move], file: &str) -> u8 {
    let semantics = rendez_analysis::semantics(&ready.program, ready.recursion);
    let mut state = semantics.initial();
    for (i, mv) in moves.iter().enumerate() {
        let possible = mv.task.index() < ready.program.tasks.len();
        let Some(outcome) = possible.then(|| semantics.step(&state, *mv)).flatten() else {
            crate::complain!(
                "error: {file}:{}:1: this step is not possible here; was the program changed?",
                i + 2
            );
            return BAD_INPUT;
        };
        tell(ready, i + 1, &state, &outcome);
        state = outcome.state;
    }
    if semantics.enabled(&state).is_empty() {
        return conclude(ready, &semantics, &state);
    }
    crate::say!("the trace ends here; the program could go on");
    0
}

fn random(ready: &Prepared, seed: u64, steps: usize) -> u8 {
    let semantics = rendez_analysis::semantics(&ready.program, ready.recursion);
    let mut state = semantics.initial();
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for number in 1..=steps {
        let moves = semantics.enabled(&state);
        if moves.is_empty() {
            return conclude(ready, &semantics, &state);
        }
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        // The high bits are the better ones.
        let mv = moves[((x >> 33) % moves.len() as u64) as usize];
        let Some(outcome) = semantics.step(&state, mv) else { break };
        tell(ready, number, &state, &outcome);
        state = outcome.state;
    }
    crate::say!("stopped after {steps} steps");
    0
}

fn interactive(ready: &Prepared) -> u8 {
    let semantics = rendez_analysis::semantics(&ready.program, ready.recursion);
    let mut history = vec![semantics.initial()];
    let mut lines = std::io::stdin().lock().lines();
    loop {
        let Some(state) = history.last().cloned() else { return 0 };
        let moves = semantics.enabled(&state);
        if moves.is_empty() {
            return conclude(ready, &semantics, &state);
        }
        for (i, mv) in moves.iter().enumerate() {
            let loc = state.tasks[mv.task.index()].pc;
            let span = ready.program.node(loc).span;
            let task = &ready.program.tasks[mv.task.index()].name;
            let line = ready.map.line(span.file, span.line).trim();
            crate::say!("{:>4}) {task}  line {}  {line}", i + 1, span.line);
        }
        print!("step (1-{}), b to go back, q to quit: ", moves.len());
        let _ = std::io::stdout().flush();
        let Some(Ok(answer)) = lines.next() else { return 0 };
        match answer.trim() {
            "q" => return 0,
            "b" if history.len() > 1 => {
                history.pop();
            }
            "" => {
                if let Some(outcome) = semantics.step(&state, moves[0]) {
                    tell(ready, history.len(), &state, &outcome);
                    history.push(outcome.state);
                }
            }
            word => match word.parse::<usize>().ok().and_then(|n| moves.get(n.wrapping_sub(1))) {
                Some(mv) => {
                    if let Some(outcome) = semantics.step(&state, *mv) {
                        tell(ready, history.len(), &state, &outcome);
                        history.push(outcome.state);
                    }
                }
                None => crate::say!("there is no step {word}"),
            },
        }
    }
}
