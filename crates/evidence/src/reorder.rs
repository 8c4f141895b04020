//! Traces with few task switches: steps that do not depend on each other change places.

use std::collections::HashSet;
use std::rc::Rc;

use rendez_model::TaskId;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::State;
use rendez_model::watch::Log;

/// A step of a trace: who moves, and which steps of others must come before, as places in their
/// tasks' own order.
struct Link {
    mv: Move,
    before: Vec<(usize, u32)>,
}

/// At most so many orders are followed at a time.
const WIDTH: usize = 64;

/// How often another task moves than the one before.
pub fn switches(moves: &[Move]) -> usize {
    moves.windows(2).filter(|w| w[0].task != w[1].task).count()
}

/// The same steps in an order with as few task switches as was found. Of the steps, only those are
/// kept that the last step of one of the given tasks depends on; all, if none is given.
///
/// Steps depend on each other if one changes what the other looks at; what a step looks at the
/// semantics tells. The result is an execution to be replayed like any other.
pub fn fewest_switches(semantics: &Semantics, moves: &[Move], needed: &[TaskId]) -> Vec<Move> {
    let Some(tasks) = dependencies(semantics, moves, needed) else { return moves.to_vec() };
    let total: usize = tasks.iter().map(Vec::len).sum();
    let mut level: Vec<(Vec<u32>, Vec<usize>)> = vec![(vec![0; tasks.len()], Vec::new())];
    // Running a task as far as it goes prevents nothing, so that only the order of tasks is chosen.
    loop {
        let finished = |at: &[u32]| at.iter().map(|n| *n as usize).sum::<usize>() == total;
        if let Some((_, order)) = level.iter().find(|(at, _)| finished(at)) {
            return emit(&tasks, order);
        }
        let mut next: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
        let mut seen = HashSet::new();
        for (at, order) in &level {
            for t in 0..tasks.len() {
                let to = run(&tasks, at, t);
                if to == at[t] {
                    continue;
                }
                let mut at = at.clone();
                at[t] = to;
                if seen.insert(at.clone()) {
                    let mut order = order.clone();
                    order.push(t);
                    next.push((at, order));
                }
            }
        }
        if next.is_empty() {
            return moves.to_vec();
        }
        next.sort_by_key(|(at, _)| std::cmp::Reverse(at.iter().map(|n| u64::from(*n)).sum::<u64>()));
        next.truncate(WIDTH);
        level = next;
    }
}

/// How far a task comes on its own.
fn run(tasks: &[Vec<Link>], at: &[u32], t: usize) -> u32 {
    let free = |link: &&Link| link.before.iter().all(|(task, n)| *task == t || at[*task] > *n);
    at[t] + tasks[t][at[t] as usize..].iter().take_while(free).count() as u32
}

fn emit(tasks: &[Vec<Link>], order: &[usize]) -> Vec<Move> {
    let mut at = vec![0; tasks.len()];
    let mut moves = Vec::new();
    for t in order {
        let to = run(tasks, &at, *t);
        moves.extend(tasks[*t][at[*t] as usize..to as usize].iter().map(|l| l.mv));
        at[*t] = to;
    }
    moves
}

/// The steps of each task with what they depend on; None if the moves are no execution.
fn dependencies(semantics: &Semantics, moves: &[Move], needed: &[TaskId]) -> Option<Vec<Vec<Link>>> {
    let log = Rc::new(Log::default());
    let mut state = semantics.initial();
    state.watch(&log);
    let mut place: Vec<(usize, u32)> = Vec::new();
    let mut count = vec![0u32; state.tasks.len()];
    let mut before: Vec<Vec<usize>> = Vec::new();
    // By part of the state: who wrote it last, and who has read it since.
    let mut writer: Vec<Option<usize>> = Vec::new();
    let mut readers: Vec<Vec<usize>> = Vec::new();
    for (i, mv) in moves.iter().enumerate() {
        log.take();
        let outcome = semantics.step(&state, *mv)?;
        let mut read = log.take();
        // A task's own steps are in order.
        read.push(state.vars.len() as u32 + mv.task.0);
        let written = changed(&state, &outcome.state);
        log.take();
        let parts = read.iter().chain(&written).map(|p| *p as usize + 1).max().unwrap_or(0);
        if writer.len() < parts {
            writer.resize(parts, None);
            readers.resize(parts, Vec::new());
        }
        let mut all = Vec::new();
        for p in &read {
            all.extend(writer[*p as usize]);
        }
        for p in &written {
            all.extend(writer[*p as usize]);
            all.append(&mut readers[*p as usize]);
            writer[*p as usize] = Some(i);
        }
        for p in &read {
            if writer[*p as usize] != Some(i) {
                readers[*p as usize].push(i);
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|j| *j != i);
        before.push(all);
        let task = mv.task.index();
        place.push((task, count[task]));
        count[task] += 1;
        state = outcome.state;
    }
    let mut keep = vec![needed.is_empty(); moves.len()];
    for task in needed {
        if let Some(last) = moves.iter().rposition(|m| m.task == *task) {
            keep[last] = true;
        }
    }
    for i in (0..moves.len()).rev() {
        if keep[i] {
            before[i].iter().for_each(|j| keep[*j] = true);
        }
    }
    // Steps that are left out are the last of their tasks.
    let mut tasks: Vec<Vec<Link>> = (0..state.tasks.len()).map(|_| Vec::new()).collect();
    for i in (0..moves.len()).filter(|i| keep[*i]) {
        let before = before[i].iter().map(|j| place[*j]).collect();
        tasks[place[i].0].push(Link { mv: moves[i], before });
    }
    Some(tasks)
}

/// The parts that differ, numbered as accesses are.
fn changed(before: &State, after: &State) -> Vec<u32> {
    let mut all = Vec::new();
    let mut first = 0;
    macro_rules! compare {
        ($field:ident) => {
            for i in 0..before.$field.len() {
                if before.$field.peek(i) != after.$field.peek(i) {
                    all.push(first + i as u32);
                }
            }
            first += before.$field.len() as u32;
        };
    }
    compare!(vars);
    compare!(tasks);
    compare!(queues);
    compare!(locks);
    let _ = first;
    all
}
