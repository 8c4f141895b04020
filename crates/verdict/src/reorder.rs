//! Traces with few task switches: independent steps change places.
//!
//! A trace as the search found it jumps between tasks, because the search does not care. Two steps that do not depend
//! on each other may be exchanged without changing anything (Mazurkiewicz traces: an execution up to the order of
//! independent steps is a partial order). So the trace is taken apart into that partial order, and put together again
//! in an order in which each task runs as far as it can.
//!
//! Dependence is not derived from the code. The moves are run on a watched state, and a step depends on an earlier one
//! if one of them changes what the other read or changed. Where only some tasks matter for a finding, the steps on
//! which their last ones do not depend, directly or not, are left out.
//!
//! The order is found breadth first over the number of switches. Running a task as far as it goes never prevents
//! anything, since steps of a partial order only wait for others; so only the order of tasks is chosen, and a bounded
//! number of orders is kept for each number of switches. The result is therefore good, not always optimal. Steps that
//! concern no other task count for nothing and are emitted when something needs them.
//!
//! The result is replayed like any other trace, and used only if it leads to the same state, or still shows the
//! finding.

use std::collections::HashSet;

use rendez_analysis::access::Access;
use rendez_model::TaskId;
use rendez_model::code::is_sequential;
use rendez_model::semantics::{Move, Semantics};
use rendez_model::state::{State, Wait};

use crate::trace::replay;

/// A step of a trace: who moves, which steps of others must come before, as places in their tasks'
/// own order, and whether it concerns nobody else.
struct Link {
    mv: Move,
    before: Vec<(usize, u32)>,
    local: bool,
}

/// At most so many orders are followed at a time.
const WIDTH: usize = 64;

/// What looking for an order may cost: steps times orders times tasks squared.
const MOST_WORK: usize = 200_000_000;

/// How far each task is, and who moved in which order.
type Schedule = (Vec<u32>, Vec<usize>);

/// The same steps in an order with as few task switches as was found, and their number; None if the
/// moves are no execution. Steps that concern nobody else count for nothing. Of the steps, only those
/// are kept that the last step of one of the given tasks depends on; all, if none is given.
///
/// Steps depend on each other if one changes what the other looks at; what a step looks at the
/// semantics tells. The result is an execution to be replayed like any other.
pub fn fewest_switches(
    semantics: &Semantics,
    access: &Access,
    moves: &[Move],
    needed: &[TaskId],
) -> Option<(Vec<Move>, usize)> {
    let cost = moves.len().max(1) * semantics.program.tasks.len().pow(2);
    let width = (MOST_WORK / cost).min(WIDTH);
    if width == 0 {
        return None;
    }
    let (tasks, last) = dependencies(semantics, access, moves, needed)?;
    let mut start = vec![0; tasks.len()];
    make_local_steps(&tasks, &mut start);
    let mut level: Vec<Schedule> = vec![(start, Vec::new())];
    // Running a task as far as it goes prevents nothing, so that only the order of tasks is chosen.
    loop {
        let finished = |at: &[u32]| at.iter().zip(&tasks).all(|(n, links)| *n as usize == links.len());
        if let Some((_, order)) = level.iter().find(|(at, _)| finished(at)) {
            let moves = emit(&tasks, order);
            // Nothing but the order may have changed.
            let end = replay(semantics, &moves)?.last;
            return (!needed.is_empty() || end == last).then_some((moves, order.len().saturating_sub(1)));
        }
        let mut next: Vec<Schedule> = Vec::new();
        let mut seen = HashSet::new();
        for (at, order) in &level {
            for t in 0..tasks.len() {
                let mut to = at.clone();
                // Its own steps, and what others do unnoticed meanwhile.
                loop {
                    let before = to[t];
                    to[t] = run(&tasks, &to, t, false);
                    if to[t] == before {
                        break;
                    }
                    make_local_steps(&tasks, &mut to);
                }
                if to[t] != at[t] && seen.insert(to.clone()) {
                    let mut order = order.clone();
                    order.push(t);
                    next.push((to, order));
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        next.sort_by_key(|(at, _)| std::cmp::Reverse(at.iter().map(|n| u64::from(*n)).sum::<u64>()));
        next.truncate(width);
        level = next;
    }
}

/// Lets every task make the steps that concern nobody else.
fn make_local_steps(tasks: &[Vec<Link>], at: &mut [u32]) {
    let mut moved = true;
    while moved {
        moved = false;
        for t in 0..tasks.len() {
            let to = run(tasks, at, t, true);
            moved |= to != at[t];
            at[t] = to;
        }
    }
}

/// How far a task comes on its own.
fn run(tasks: &[Vec<Link>], at: &[u32], t: usize, local: bool) -> u32 {
    let free = |link: &&Link| {
        (link.local || !local) && link.before.iter().all(|(task, n)| *task == t || at[*task] > *n)
    };
    at[t] + tasks[t][at[t] as usize..].iter().take_while(free).count() as u32
}

/// The moves of an order of tasks. Steps that concern nobody else come when they are needed.
fn emit(tasks: &[Vec<Link>], order: &[usize]) -> Vec<Move> {
    let mut at = vec![0; tasks.len()];
    make_local_steps(tasks, &mut at);
    let mut done = vec![0; tasks.len()];
    let mut moves = Vec::new();
    for t in order {
        loop {
            let before = at[*t];
            at[*t] = run(tasks, &at, *t, false);
            if at[*t] == before {
                break;
            }
            make_local_steps(tasks, &mut at);
        }
        demand(tasks, &mut done, *t, at[*t], &mut moves);
    }
    for t in 0..tasks.len() {
        demand(tasks, &mut done, t, tasks[t].len() as u32, &mut moves);
    }
    moves
}

/// Emits the steps of a task up to a place, and before each what it depends on.
fn demand(tasks: &[Vec<Link>], done: &mut [u32], t: usize, to: u32, moves: &mut Vec<Move>) {
    while done[t] < to {
        let link = &tasks[t][done[t] as usize];
        for (other, n) in &link.before {
            if *other != t {
                demand(tasks, done, *other, n + 1, moves);
            }
        }
        moves.push(link.mv);
        done[t] += 1;
    }
}

/// The steps of each task with what they depend on; None if the moves are no execution.
fn dependencies(
    semantics: &Semantics,
    access: &Access,
    moves: &[Move],
    needed: &[TaskId],
) -> Option<(Vec<Vec<Link>>, State)> {
    let mut state = semantics.initial();
    let log = state.watch();
    let mut place: Vec<(usize, u32)> = Vec::new();
    let mut count = vec![0u32; state.tasks.len()];
    let mut before: Vec<Vec<usize>> = Vec::new();
    let mut accesses = Accesses::default();
    let mut local = Vec::new();
    for (i, mv) in moves.iter().enumerate() {
        let ts = &state.tasks[mv.task.index()];
        let looks_local = ts.wait == Wait::Nothing && access.is_local(semantics.program, &state, mv.task);
        log.take();
        let outcome = semantics.step(&state, *mv)?;
        let mut read = log.take();
        let own = state.vars.len() as u32 + mv.task.0;
        read.push(own);
        let written = changed(&state, &outcome.state);
        // The end of a rendezvous lets the caller go on.
        let others = |p: &u32| {
            let task = p.wrapping_sub(state.vars.len() as u32);
            task < state.tasks.len() as u32 && task != mv.task.0
        };
        local.push(looks_local && !written.iter().any(others));
        let private = local[i] && is_sequential(&semantics.program.node(outcome.step.loc).action);
        log.take();
        // Where a task is between steps that concern nobody else makes no difference to others.
        before.push(accesses.dependencies(i, &read, &written, private.then_some(own)));
        let task = mv.task.index();
        place.push((task, count[task]));
        count[task] += 1;
        state = outcome.state;
    }
    let keep = steps_to_keep(moves, &before, needed);
    // Steps that are left out are the last of their tasks.
    let mut tasks: Vec<Vec<Link>> = (0..state.tasks.len()).map(|_| Vec::new()).collect();
    for i in (0..moves.len()).filter(|i| keep[*i]) {
        let before = before[i].iter().map(|j| place[*j]).collect();
        tasks[place[i].0].push(Link { mv: moves[i], before, local: local[i] });
    }
    Some((tasks, state))
}

/// By part of the state: which step wrote it last, and which have read it since.
#[derive(Default)]
struct Accesses {
    writer: Vec<Option<usize>>,
    readers: Vec<Vec<usize>>,
}

impl Accesses {
    /// The earlier steps that a step depends on. The write to `unseen` does not count.
    fn dependencies(
        &mut self,
        step: usize,
        read: &[u32],
        written: &[u32],
        unseen: Option<u32>,
    ) -> Vec<usize> {
        let parts = read.iter().chain(written).map(|p| *p as usize + 1).max().unwrap_or(0);
        if self.writer.len() < parts {
            self.writer.resize(parts, None);
            self.readers.resize(parts, Vec::new());
        }
        let mut all = Vec::new();
        for p in read {
            all.extend(self.writer[*p as usize]);
        }
        for p in written.iter().filter(|p| Some(**p) != unseen) {
            all.extend(self.writer[*p as usize]);
            all.append(&mut self.readers[*p as usize]);
            self.writer[*p as usize] = Some(step);
        }
        for p in read {
            if self.writer[*p as usize] != Some(step) {
                self.readers[*p as usize].push(step);
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|j| *j != step);
        all
    }
}

/// The last steps of the tasks that are needed, with all that these depend on; all steps if no task is named.
fn steps_to_keep(moves: &[Move], before: &[Vec<usize>], needed: &[TaskId]) -> Vec<bool> {
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
    keep
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
