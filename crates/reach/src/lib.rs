//! The reachability engine: every state of the program, packed, from steps learnt once.
//!
//! [`search`] applies the steps of a [`rendez_petri`] to packed states in a [`store`], leaving out
//! what [`stubborn`] sets make superfluous and what [`symmetry`] makes alike, and [`check`] decides
//! the default checks, [`ctl`] temporal formulas. [`hashed`] searches keep less than the states;
//! [`progress`] needs none at all where the code alone shows that nobody waits for ever.

pub mod cats;
mod check;
pub mod ctl;
mod enabled;
mod exceptions;
mod expand;
mod finite;
mod flat_tables;
mod graph;
mod hashed;
mod index;
mod level_workers;
mod main_unfolding;
mod maybe_number;
mod progress;
mod reached;
mod search;
mod store;
mod stubborn;
mod symmetry;
mod visible;
mod walk;

pub use check::{held_without_data, reach};
pub use exceptions::never_raised;
pub use finite::everybody_ends;
pub use hashed::Keep;
pub use progress::never_blocks;
pub use reached::Reached;
pub use rendez_petri::Tig;
pub use search::Config;

use std::time::Instant;

use rendez_model::Program;
use rendez_verdict::{
    BoundFormula, Control, Engine, EngineId, Options, Outcome, Query, Support, checks, formulas,
    with_automata_of,
};

/// The reachability engine.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    pub config: Config,
}

impl Engine for Reach {
    fn id(&self) -> EngineId {
        EngineId::Reach
    }

    fn supports(&self, query: &Query) -> Support {
        if query.counts() { Support::Nothing } else { Support::Verdicts }
    }

    fn check(&self, program: &Program, queries: &[Query], options: &Options, control: &Control) -> Outcome {
        let started = Instant::now();
        let program = &*with_automata_of(program, queries);
        let (wanted, sequences) = (checks(queries), !program.monitors.is_empty());
        let config = Config { wanted, ..self.config.clone() };
        let mut outcome = match (config.wanted.is_empty(), sequences) {
            (false, _) => check::check(program, options, &config, control),
            (true, true) => check::properties(program, options, &config, control),
            (true, false) => Outcome::nothing(EngineId::Reach),
        };
        let questions: Vec<BoundFormula> = formulas(queries).into_iter().cloned().collect();
        if !questions.is_empty() {
            let left = options.timeout.map(|t| t.saturating_sub(started.elapsed()));
            let options = Options { timeout: left, ..options.clone() };
            let (answers, stats) = ctl::decide(program, &questions, &options, &self.config, control);
            outcome.properties.extend(answers);
            if config.wanted.is_empty() && !sequences {
                outcome.stats = stats;
            }
        }
        outcome
    }
}
