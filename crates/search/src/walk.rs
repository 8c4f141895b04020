//! Random schedules, for programs with too many states.
//!
//! When limits cut the search short, a few hundred random executions often still end in a blocked state that most
//! schedules reach. A random task that can move makes a random one of its steps, local steps are merged, and
//! observations are made as in the search. Each execution is cut at a fixed length.
//!
//! What they show is as certain as what the search finds, because it is replayed, but the traces are not the shortest.
//! Nothing is proved. The random numbers are the same on every machine, so a finding can be reproduced. Directed search
//! has the same walk among its orders.

use std::time::{Duration, Instant};

use rendez_model::TaskId;
use rendez_model::semantics::{Move, Semantics, StepEvent};
use rendez_model::state::State;
use rendez_verdict::{Control, Observation, Random, alive, seen_in};
use rustc_hash::FxHashSet;

use crate::local::LocalSteps;

/// Steps of one walk at most.
const LENGTH: usize = 20_000;
/// Steps between two looks at the time.
const POLL: usize = 256;

/// Walks at random, `most` times at most, until the time is over or `found` has seen enough; it is called with the moves that
/// lead to an occurrence.
pub fn walk(
    semantics: &Semantics,
    local: &LocalSteps,
    time: Duration,
    control: &Control,
    (seed, most): (u64, usize),
    mut found: impl FnMut(&[Move], &State, Observation) -> bool,
) {
    let started = Instant::now();
    let mut random = Random::new(seed);
    let mut moves = Vec::new();
    let mut out = Vec::new();
    let mut walks = 0;
    // A walk may come by the same thing again and again.
    let mut known: FxHashSet<Observation> = FxHashSet::default();
    let over = || started.elapsed() >= time || control.ended().is_some();
    while walks < most && !over() {
        moves.clear();
        walks += 1;
        let mut ended = false;
        let mut state = local.run_local(semantics, semantics.initial(), |_, _| {});
        for step in 0..LENGTH {
            if step % POLL == POLL - 1 && over() {
                return;
            }
            // A random task that can move, then a random one of its steps.
            let n = state.tasks.len();
            let first = random.below(n);
            let mut moved = false;
            for k in 0..n {
                let task = TaskId::from((first + k) % n);
                out.clear();
                semantics.successors(&state, task, &mut out);
                if out.is_empty() {
                    continue;
                }
                let choice = random.below(out.len());
                let outcome = out.swap_remove(choice);
                moves.push(Move { task, choice: choice as u32 });
                moved = true;
                for seen in seen_in(&outcome.step) {
                    if known.insert(seen.clone())
                        && found(&local.unmerged(semantics, &moves), &outcome.state, seen)
                    {
                        return;
                    }
                }
                if matches!(outcome.step.what, StepEvent::Stopped | StepEvent::Unsupported) {
                    moved = false;
                    ended = true;
                    break;
                }
                state = local.run_local(semantics, outcome.state, |_, _| {});
                break;
            }
            if !moved {
                break;
            }
        }
        let stuck = !ended
            && state.tasks.iter().any(|t| alive(t.status))
            && (0..state.tasks.len()).all(|t| {
                out.clear();
                semantics.successors(&state, TaskId::from(t), &mut out);
                out.is_empty()
            });
        if stuck && found(&local.unmerged(semantics, &moves), &state, Observation::Blocked) {
            return;
        }
    }
}
