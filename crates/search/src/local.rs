//! Running steps that concern no other task.
//!
//! A local action commutes with every step of every other task, and nothing can prevent it (Lipton's reduction, CACM
//! 1975; a persistent set of one task in Godefroid's sense). A task whose next action is local and has one outcome
//! therefore runs on at once, until no task has such a step. A task whose next action is local but has several outcomes
//! is expanded alone.
//!
//! A task that runs local steps for ever must not hide the others. A run is cut after some thousands of steps, and as
//! soon as a state of it comes back, which Brent's way of finding cycles notices. If expanding a task alone leads to no
//! new state, all tasks are expanded (the proviso of Bošnački and Holzmann, SPIN 2005; `search.rs`).
//!
//! The reduction can be switched off, and is compared with every step interleaved on random programs. Traces are
//! written in single moves, so a merged trace is taken apart again.

use rendez_analysis::access::Access;
use rendez_model::semantics::{Move, Semantics, Step, StepEvent, Successor};
use rendez_model::state::{State, Status, Wait};
use rendez_model::{Action, Program, TaskId};
use rendez_verdict::Options;

/// After a step, every task whose next action is local and has one outcome runs on at once.
///
/// This is exact for everything the default checks ask: a local action commutes with every step
/// of every other task, and nothing can prevent it. A task that would run local steps for ever is
/// stopped after a while, its state is kept, and the search goes on from there.
pub struct LocalSteps {
    pub access: Access,
    enabled: bool,
    /// Actions that are steps of their own though they are local.
    stops: fn(&Action) -> bool,
}

/// Local steps of one task in one go; a longer run is cut into several states.
const CHUNK: usize = 5_000;

impl LocalSteps {
    pub fn new(program: &Program, enabled: bool, stops: fn(&Action) -> bool) -> Self {
        LocalSteps { access: Access::new(program), enabled, stops }
    }

    /// Runs local steps from `state` to rest and reports each, with the state before it.
    pub fn run_local(
        &self,
        semantics: &Semantics,
        mut state: State,
        mut each: impl FnMut(&Successor, &State),
    ) -> State {
        if !self.enabled {
            return state;
        }
        let mut out = Vec::new();
        let mut budget = CHUNK;
        let mut t = 0;
        let mut without_step = 0;
        // Round and round until no task has a local step left.
        while without_step < state.tasks.len() && budget > 0 {
            let task = TaskId::from(t);
            let mut moved = false;
            // A state of this run to compare later ones with, a newer one each time the run is twice as long.
            let (mut seen, mut steps, mut next) = (None, 0, 8);
            while budget > 0 && self.runs_alone(semantics.program, &state, task) {
                if seen.as_ref() == Some(&state) {
                    // It would go on like this for ever.
                    moved = false;
                    break;
                }
                steps += 1;
                if steps == next {
                    (seen, next) = (Some(state.clone()), 2 * next);
                }
                out.clear();
                semantics.successors(&state, task, &mut out);
                if out.len() != 1 || is_final(&out[0].step) {
                    break;
                }
                let Some(outcome) = out.pop() else { break };
                each(&outcome, &state);
                state = outcome.state;
                moved = true;
                budget -= 1;
            }
            without_step = if moved { 0 } else { without_step + 1 };
            t = (t + 1) % state.tasks.len();
        }
        state
    }

    /// The single moves that moves of a merged search stand for.
    pub fn unmerged(&self, semantics: &Semantics, moves: &[Move]) -> Vec<Move> {
        let mut single = Vec::new();
        let run_local = |state: State, single: &mut Vec<Move>| {
            self.run_local(semantics, state, |o, _| single.push(Move { task: o.step.task, choice: 0 }))
        };
        let mut state = run_local(semantics.initial(), &mut single);
        for mv in moves {
            single.push(*mv);
            // A move that is not possible is found out when the trace is replayed.
            let Some(outcome) = semantics.step(&state, *mv) else { break };
            state = run_local(outcome.state, &mut single);
        }
        single
    }

    /// A task whose next step is local: it alone need be expanded.
    pub fn ample(&self, program: &Program, state: &State) -> Option<TaskId> {
        if !self.enabled {
            return None;
        }
        (0..state.tasks.len()).map(TaskId::from).find(|t| self.runs_alone(program, state, *t))
    }

    fn runs_alone(&self, program: &Program, state: &State, task: TaskId) -> bool {
        let ts = &state.tasks[task.index()];
        matches!(ts.status, Status::Activating | Status::Active)
            && ts.wait == Wait::Nothing
            && !ts.aborted
            && ts.transfers.is_empty()
            && self.access.is_local(program, state, task)
            && !(self.stops)(&program.node(ts.pc).action)
    }
}

/// The steps that are run at once with these options.
pub fn local_steps(program: &Program, options: &Options) -> LocalSteps {
    let stops: fn(&Action) -> bool = match options.long_delays {
        true => |a| matches!(a, Action::Delay { .. }),
        false => |_| false,
    };
    LocalSteps::new(program, options.merge_local, stops)
}

/// Steps that a search must look at as steps of their own.
fn is_final(step: &Step) -> bool {
    matches!(step.what, StepEvent::Unsupported | StepEvent::Stopped)
}
