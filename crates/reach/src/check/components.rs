//! Tasks that are stuck or spin while others run.
//!
//! An execution that does not end stays in a bottom strongly connected component if it is fair to all steps. Who has no
//! edge in such a component never moves again, and who only polls there spins. Stubborn sets keep this, because no
//! transition is ignored in a bottom component. With symmetry, tasks may change their places along an edge, so moves are
//! counted by role.
//!
//! A wait must be begun for the semantics to see it, and not every state of a component has it begun. So several states
//! are tried, and the first in which all stuck tasks can begin their waits is reported.

use rendez_model::semantics::Move;
use rendez_model::state::State;
use rendez_model::{Loc, TaskId};
use rendez_petri::steps::Steps;
use rendez_verdict::{
    Findings, Kind, Nonprogress, POLLS, PROGRESS, all_stuck, awaits_lock, kinds_of_blocking,
};
use rustc_hash::FxHashSet;

use crate::graph::{ReachabilityGraph, Roles};
use crate::reached::Reached;

/// Looks at every set of states that is never left.
pub(super) fn forever(reached: &Reached, graph: &ReachabilityGraph, findings: &mut Findings) {
    let cache = &reached.cache;
    let program = cache.steps.semantics.program;
    let mut spinning: Vec<(u32, TaskId)> = Vec::new();
    let mut stuck: Vec<(u32, Vec<TaskId>)> = Vec::new();
    for mut component in graph.bottom_components() {
        // By role.
        let mut moves: Vec<Option<u8>> = vec![None; program.tasks.len()];
        let roles = Roles::new(&reached.view(), graph, &component);
        for id in &component {
            for outcome in graph.edges(*id).flat_map(|(run, _)| run) {
                for (task, flags) in &cache.stories[*outcome as usize].movers {
                    let mover = &mut moves[roles.of(*id, task.index())];
                    *mover = Some(mover.unwrap_or(0) | flags);
                }
            }
        }
        // A single state without steps is blocked or ended, which others look at.
        if moves.iter().all(Option::is_none) {
            continue;
        }
        component.sort_unstable();
        component.truncate(MOST_TRIED);
        let first = component[0];
        for (t, task) in program.tasks.iter().enumerate() {
            let flags = moves[roles.of(first, t)];
            if flags.is_some_and(|f| f & PROGRESS == 0 && f & POLLS != 0) && !task.background {
                spinning.push((first, TaskId::from(t)));
            }
        }
        let of = |id: u32| {
            let mut tasks = all_stuck(program, &reached.state(id));
            tasks.retain(|t| moves[roles.of(id, t.index())].is_none());
            (id, tasks)
        };
        // A wait must be begun, for the semantics to see it. Who finds a lock taken cannot move, but has not begun.
        let waits = |(id, tasks): &(u32, Vec<TaskId>)| {
            let (state, _) = begun(&cache.steps, reached.state(*id), tasks);
            let begun = |t: &TaskId| {
                cache.steps.successors(&state, *t).is_empty() && !awaits_lock(program, &state, *t)
            };
            tasks.iter().all(begun)
        };
        let some = component.iter().map(|id| of(*id)).find(waits).unwrap_or_else(|| of(first));
        if !some.1.is_empty() {
            stuck.push(some);
        }
    }
    spinning.sort_unstable();
    for (id, task) in spinning {
        let way = reached.way(id);
        findings.forever(&Nonprogress::Spins(way.permutation.task(task)), &way.moves, &way.state);
    }
    stuck.sort_unstable();
    stuck_tasks(reached, &stuck, findings);
}

/// So many states of a set that is never left are tried to show who is stuck there.
const MOST_TRIED: usize = 1000;

/// Lets tasks begin waits that are no steps of their own here.
fn begun(steps: &Steps, mut state: State, tasks: &[TaskId]) -> (State, Vec<Move>) {
    let moves = tasks.iter().filter_map(|t| steps.begin_wait(&mut state, *t)).collect();
    (state, moves)
}

/// Reports who never moves again, each time with a state of a set that is never left.
fn stuck_tasks(reached: &Reached, stuck: &[(u32, Vec<TaskId>)], findings: &mut Findings) {
    let steps = &reached.cache.steps;
    // The way to a state takes long: those in which the same tasks are stuck at the same places are one.
    let mut known = FxHashSet::default();
    for (id, tasks) in stuck {
        let (state, _) = begun(steps, reached.state(*id), tasks);
        let found = kinds_of_blocking(steps.semantics, &state, tasks);
        let kinds: Vec<Kind> = found.iter().map(|b| b.kind).collect();
        let places: Vec<(TaskId, Loc)> = tasks.iter().map(|t| (*t, state.tasks[t.index()].pc)).collect();
        if known.insert((kinds, places)) {
            let mut way = reached.way(*id);
            let tasks: Vec<TaskId> = tasks.iter().map(|t| way.permutation.task(*t)).collect();
            let (state, waits) = begun(steps, way.state, &tasks);
            way.moves.extend(waits);
            findings.forever(&Nonprogress::Stuck(tasks), &way.moves, &state);
        }
    }
}
