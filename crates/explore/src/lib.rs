//! The reference explorer: plain exhaustive search over the model's step semantics.
//!
//! It visits every reachable state, breadth first, and decides the default checks by looking at each. Its only
//! reduction, on by default and switchable, runs steps that concern no other task
//! ([`rendez_analysis::access::Access::local`]) at once instead of interleaving them. Every engine is tested against
//! this explorer; it is written to be obviously right, not to be fast.
//!
//! The loop, the stored states and the merging of local steps are those of crate `search`: directed search is another
//! order over the same loop. `temporal` defines temporal formulas by fixpoints, and `check` puts the verdicts together.

mod check;
mod temporal;

pub use temporal::Unfolded;

use rendez_model::Program;
use rendez_verdict::{Control, Engine, EngineId, Options, Outcome, Query, Support, checks, with_automata_of};

/// The reference explorer.
pub struct Explore;

impl Engine for Explore {
    fn id(&self) -> EngineId {
        EngineId::Explore
    }

    fn supports(&self, query: &Query) -> Support {
        match query {
            Query::Check(_) => Support::Verdicts,
            Query::Sequence { .. } if query.is_followed() => Support::Verdicts,
            Query::Sequence { .. } | Query::Formula(_) => Support::Nothing,
        }
    }

    fn check(&self, program: &Program, queries: &[Query], options: &Options, control: &Control) -> Outcome {
        let outcome = check::check(&with_automata_of(program, queries), options, control);
        match checks(queries).is_empty() {
            true => Outcome { answers: Vec::new(), ..outcome },
            false => outcome,
        }
    }
}
