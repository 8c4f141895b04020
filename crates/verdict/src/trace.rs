//! Traces: moves, replayed step by step on the semantics.

use rendez_model::semantics::{Move, Semantics, Step};
use rendez_model::state::State;
use rendez_model::{Value, VarId};

/// A replayed trace.
#[derive(Clone, Debug)]
pub struct Trace {
    pub steps: Vec<TraceStep>,
    /// The state it ends in.
    pub last: State,
    /// The moves, numbered as the semantics numbers them.
    pub moves: Vec<Move>,
    /// The step from which on the trace repeats for ever.
    pub loop_from: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct TraceStep {
    pub step: Step,
    /// Cells that the step changed, with their new values.
    pub changes: Vec<(VarId, Value)>,
}

/// Replays moves one at a time on nothing but the semantics. None if one is not possible: then
/// the path is no execution, and whoever found it is wrong.
pub fn replay(semantics: &Semantics, moves: &[Move]) -> Option<Trace> {
    let last = semantics.initial();
    let mut trace = Trace { steps: Vec::new(), last, moves: Vec::new(), loop_from: None };
    trace.go_on(semantics, moves)?;
    Some(trace)
}

fn changes(before: &State, after: &State) -> Vec<(VarId, Value)> {
    let mut all = Vec::new();
    for (i, (a, b)) in before.vars.iter().zip(after.vars.iter()).enumerate() {
        if a != b {
            all.push((VarId::from(i), *b));
        }
    }
    all
}

impl Trace {
    /// Replays more moves; None if one is not possible.
    pub fn go_on(&mut self, semantics: &Semantics, moves: &[Move]) -> Option<()> {
        for mv in moves {
            let outcome = semantics.step(&self.last, *mv)?;
            let changes = changes(&self.last, &outcome.state);
            self.steps.push(TraceStep { step: outcome.step, changes });
            self.last = outcome.state;
            self.moves.push(*mv);
        }
        Some(())
    }

    pub fn guessed(&self) -> bool {
        self.steps.iter().any(|s| s.step.guessed)
    }
}
