//! Traces: a path through the graph, replayed step by step on the semantics.

use rendez_model::semantics::{Move, Semantics, Step};
use rendez_model::state::State;
use rendez_model::{Value, VarId};

use crate::local::LocalSteps;

/// A replayed trace.
#[derive(Clone, Debug)]
pub struct Trace {
    pub steps: Vec<TraceStep>,
    /// The state it ends in.
    pub last: State,
    /// The moves, numbered as the semantics numbers them, without merging of local steps.
    pub moves: Vec<Move>,
}

#[derive(Clone, Debug)]
pub struct TraceStep {
    pub step: Step,
    /// Cells that the step changed, with their new values.
    pub changes: Vec<(VarId, Value)>,
}

/// Replays moves of a merged search. None if a move is not possible: then the path is no
/// execution, and whoever found it is wrong.
pub fn replay(semantics: &Semantics, local: &LocalSteps, moves: &[Move]) -> Option<Trace> {
    let mut state = semantics.initial();
    let mut steps = Vec::new();
    let mut single = Vec::new();
    state = settle(semantics, local, state, &mut steps, &mut single);
    for mv in moves {
        let outcome = semantics.step(&state, *mv)?;
        let changes = changes(&state, &outcome.state);
        steps.push(TraceStep { step: outcome.step, changes });
        single.push(*mv);
        state = settle(semantics, local, outcome.state, &mut steps, &mut single);
    }
    // Once more, one step at a time, on nothing but the semantics.
    let mut check = semantics.initial();
    for mv in &single {
        check = semantics.step(&check, *mv)?.state;
    }
    (check == state).then_some(Trace { steps, last: state, moves: single })
}

fn settle(
    semantics: &Semantics,
    local: &LocalSteps,
    state: State,
    steps: &mut Vec<TraceStep>,
    single: &mut Vec<Move>,
) -> State {
    let mut before = state.clone();
    local.settle(semantics, state, |outcome| {
        let changes = changes(&before, &outcome.state);
        steps.push(TraceStep { step: outcome.step.clone(), changes });
        single.push(Move { task: outcome.step.task, choice: 0 });
        before = outcome.state.clone();
    })
}

fn changes(before: &State, after: &State) -> Vec<(VarId, Value)> {
    let mut all = Vec::new();
    for (i, (a, b)) in before.vars.iter().zip(&after.vars).enumerate() {
        if a != b {
            all.push((VarId::from(i), *b));
        }
    }
    all
}

impl Trace {
    pub fn guessed(&self) -> bool {
        self.steps.iter().any(|s| s.step.guessed)
    }
}
