//! Directed search: the states nearest to an error first.
//!
//! The loop is that of crate `search`; here are the order in which it takes states
//! ([`frontier`]), what it is after ([`goal`]), and estimates of how far that is: distances in the
//! control-flow graphs of tasks ([`code`], [`distance`]), and exact distances in a smaller program
//! ([`pattern`]). Procedures are not inlined: the stack of a state tells where they return to.

mod blocking;
mod code;
mod decide;
mod distance;
mod frontier;
mod goal;
mod pattern;
mod radix;

pub use code::FAR;
pub use decide::{DirectedSettings, Heuristic, SearchTarget, Sought, seek};
pub use distance::{Distances, Measure};
pub use frontier::Order;

use rendez_model::Program;
use rendez_verdict::{
    Control, Engine, EngineId, Options, Outcome, Query, Support, checks, formulas, with_automata_of,
};

/// The directed engine.
#[derive(Clone, Debug, Default)]
pub struct Directed {
    pub settings: DirectedSettings,
}

impl Engine for Directed {
    fn id(&self) -> EngineId {
        EngineId::Directed
    }

    fn supports(&self, query: &Query) -> Support {
        if query.counts() { Support::Nothing } else { Support::Violations }
    }

    fn check(&self, program: &Program, queries: &[Query], options: &Options, control: &Control) -> Outcome {
        let program = &*with_automata_of(program, queries);
        let settings = DirectedSettings { only: checks(queries), ..self.settings.clone() };
        let mut outcome = match (settings.only.is_empty(), program.monitors.is_empty()) {
            (false, _) => decide::check(program, &settings, options, control),
            (true, false) => decide::properties(program, &settings, options, control),
            (true, true) => Outcome::nothing(EngineId::Directed),
        };
        let decide = |question| decide::formula(program, question, &settings, options, control);
        outcome.properties.extend(formulas(queries).into_iter().map(decide));
        outcome
    }
}
