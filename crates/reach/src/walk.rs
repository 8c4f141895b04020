//! Random schedules and descent, for programs with too many states.
//!
//! `walk` follows a few hundred random executions. When limits cut the search short, such an execution often still ends
//! in a blocked state that most schedules reach. The findings are as certain as those of the search, since they are
//! replayed, but their traces are not the shortest.
//!
//! `descend` looks for blocked states in programs of thousands of tasks. It is hill climbing on the number of tasks
//! that can move: among the steps of the current state it takes the first one after which fewer tasks can move, and
//! otherwise the best there is, for as long as its patience lasts. A few attempts start with different tasks. Nothing
//! is remembered of the states on the way, so memory does not grow with their number.
//!
//! The evaluation is incremental. A step changes a few slots, and only the tasks whose decision trees looked at these
//! slots can gain or lose a step; only they are asked again, so that thousands of tasks are no obstacle.
//!
//! Neither function proves anything.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rendez_model::semantics::Move;
use rendez_model::state::State;
use rendez_verdict::{Control, Observation, Random, alive};

use rendez_petri::step_cache::StepCache;
use rendez_petri::steps::Fate;

/// Told what was seen, with the moves that lead there and the state.
pub type Reporter<'f> = dyn FnMut(&StepCache, &[Move], &State, Observation) + 'f;

/// Steps of one walk at most.
const LENGTH: usize = 20_000;
/// So many walks are made at most.
const WALKS: usize = 400;
/// So many walks to where fewer tasks can move.
const DESCENTS: usize = 4;

/// Walks at random until the time is over; calls `found` with the moves that lead to something.
pub fn walk(cache: &mut StepCache, time: Duration, control: &Control, found: &mut Reporter) {
    let started = Instant::now();
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let start = cache.start();
    let tasks = cache.trees.tasks();
    for _ in 0..WALKS {
        let mut values = start.clone();
        let mut path: Vec<u32> = Vec::new();
        let stuck = loop {
            if started.elapsed() > time || control.stop.load(Ordering::Relaxed) {
                return;
            }
            if path.len() >= LENGTH {
                break false;
            }
            // A random task that can move, then a random one of its steps.
            let first = random.below(tasks);
            let mut taken = None;
            for task in (0..tasks).map(|k| (first + k) % tasks) {
                let range = steps_of(cache, task, &values);
                if !range.is_empty() {
                    taken = Some(range.start + random.below(range.len()) as u32);
                    break;
                }
            }
            let Some(number) = taken else { break true };
            path.push(number);
            let outcome = cache.trees.outcomes[number as usize].clone();
            for seen in cache.stories[number as usize].seen.clone() {
                let (moves, state) = so_far(cache, &path, &values);
                found(cache, &moves, &state, seen);
            }
            if outcome.fate != Fate::Followed {
                break false;
            }
            for (slot, value) in &cache.trees.changes[outcome.changes.0 as usize..outcome.changes.1 as usize]
            {
                values[*slot as usize] = *value;
            }
        };
        if stuck {
            let (moves, state) = so_far(cache, &path, &values);
            if state.tasks.iter().any(|t| alive(t.status)) {
                found(cache, &moves, &state, Observation::Blocked);
            }
        }
    }
}

/// Walks to where fewer and fewer tasks can move, a few times, until none can; calls `found` with the
/// moves that lead there.
///
/// What a step changes is looked at by a few tasks only: only these are asked again whether they can
/// move, so that thousands of tasks are no obstacle.
pub fn descend(cache: &mut StepCache, time: Duration, control: &Control, found: &mut Reporter) {
    let started = Instant::now();
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let start = cache.start();
    let tasks = cache.trees.tasks();
    for _ in 0..DESCENTS {
        let mut values = start.clone();
        let mut path: Vec<u32> = Vec::new();
        let mut can_move: Vec<bool> = (0..tasks).map(|t| !steps_of(cache, t, &values).is_empty()).collect();
        // By slot: tasks that looked at it when they were asked last, and perhaps some that did before.
        let mut watchers: Vec<Vec<u32>> = vec![Vec::new(); values.len()];
        (0..tasks).for_each(|t| watch(cache, t, &values, &mut watchers));
        let mut last = random.below(tasks);
        let mut patience = tasks / 4;
        loop {
            if started.elapsed() > time || control.stop.load(Ordering::Relaxed) {
                return;
            }
            // The first step after which fewer can move; one that changes nothing, if there is none.
            let mut best: Option<(i64, u32)> = None;
            'search: for task in (1..=tasks).map(|k| (last + k) % tasks) {
                if !can_move[task] {
                    continue;
                }
                let range = steps_of(cache, task, &values);
                let begin = random.below(range.len().max(1)) as u32;
                for k in 0..range.len() as u32 {
                    let number = range.start + (begin + k) % range.len() as u32;
                    if cache.trees.outcomes[number as usize].fate != Fate::Followed {
                        continue;
                    }
                    let change = gain(cache, number, &mut values, &can_move, &watchers);
                    if best.is_none_or(|b| change < b.0) {
                        best = Some((change, number));
                    }
                    if change < 0 {
                        break 'search;
                    }
                }
            }
            let Some((change, number)) = best else { break };
            if change >= 0 {
                patience -= 1;
                if patience == 0 {
                    break;
                }
            }
            path.push(number);
            let outcome = cache.trees.outcomes[number as usize].clone();
            last = outcome.task.index();
            let changes =
                cache.trees.changes[outcome.changes.0 as usize..outcome.changes.1 as usize].to_vec();
            changes.iter().for_each(|(slot, value)| values[*slot as usize] = *value);
            let asked: Vec<u32> = changes.iter().flat_map(|c| watchers[c.0 as usize].clone()).collect();
            for task in asked {
                can_move[task as usize] = !steps_of(cache, task as usize, &values).is_empty();
                watch(cache, task as usize, &values, &mut watchers);
            }
        }
        if can_move.iter().all(|m| !m) {
            let (moves, state) = so_far(cache, &path, &values);
            if state.tasks.iter().any(|t| alive(t.status)) {
                return found(cache, &moves, &state, Observation::Blocked);
            }
        }
    }
}

/// How many more tasks can move after a step.
fn gain(
    cache: &mut StepCache,
    number: u32,
    values: &mut [u32],
    can_move: &[bool],
    watchers: &[Vec<u32>],
) -> i64 {
    let range = cache.trees.outcomes[number as usize].changes;
    let changes = cache.trees.changes[range.0 as usize..range.1 as usize].to_vec();
    let swap = |values: &mut [u32], changes: &[(u32, u32)]| -> Vec<(u32, u32)> {
        let one =
            |(slot, value): &(u32, u32)| (*slot, std::mem::replace(&mut values[*slot as usize], *value));
        changes.iter().map(one).collect()
    };
    let before = swap(values, &changes);
    let mut asked: Vec<u32> = Vec::new();
    for (slot, _) in &changes {
        asked.extend(&watchers[*slot as usize]);
    }
    asked.sort_unstable();
    asked.dedup();
    let mut gain = 0;
    for task in asked {
        let moves = !steps_of(cache, task as usize, values).is_empty();
        gain += i64::from(moves) - i64::from(can_move[task as usize]);
    }
    swap(values, &before);
    gain
}

fn watch(cache: &StepCache, task: usize, values: &[u32], watchers: &mut [Vec<u32>]) {
    cache.trees.looked_at(
        task,
        |slot| values[slot],
        |slot| {
            if !watchers[slot].contains(&(task as u32)) {
                watchers[slot].push(task as u32);
            }
        },
    );
}

/// The outcomes of a task's step, learnt if need be.
fn steps_of(cache: &mut StepCache, task: usize, values: &[u32]) -> std::ops::Range<u32> {
    match cache.trees.known(task, |slot| values[slot]) {
        Some(range) => range,
        None => {
            cache.learn(task, values);
            cache.trees.known(task, |slot| values[slot]).unwrap_or(0..0)
        }
    }
}

fn so_far(cache: &StepCache, path: &[u32], values: &[u32]) -> (Vec<Move>, State) {
    (cache.moves(path), cache.slots.state(values.iter().copied()))
}
