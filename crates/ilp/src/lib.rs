//! The integer-programming engine: what INCA was, exact.
//!
//! A violation needs a flow through every part of the program: a whole number of each transition of
//! its net that satisfies a linear system. [`solve`] asks HiGHS for such numbers, [`prove`] rules out
//! those that no execution can have, or shows in exact arithmetic that none are left, [`explain`]
//! looks for the execution behind them, and [`decide`] makes parts of the program one where the
//! order of events matters, until there is an answer.

mod decide;
pub mod dump;
pub mod explain;
pub mod prove;
pub mod published;
#[cfg(feature = "solver")]
pub mod solve;
#[cfg(not(feature = "solver"))]
#[path = "without_solver.rs"]
pub mod solve;

pub use decide::{Decided, IlpSettings, about_deadlock, deadlock, decide};

use rendez_model::Program;
use rendez_verdict::{
    Control, Engine, EngineId, Kind, Options, Outcome, PropertyAnswer, Query, Stats, Support, Verdict,
    checks, with_automata_of,
};

/// Keeps what was proved, and says where.
pub type Archive<'a> = Box<dyn Fn(&Decided) -> Result<String, String> + Sync + 'a>;

/// The integer-programming engine.
#[derive(Default)]
pub struct Ilp<'a> {
    pub settings: IlpSettings,
    /// What becomes of proofs.
    pub archive: Option<Archive<'a>>,
}

impl Engine for Ilp<'_> {
    fn id(&self) -> EngineId {
        EngineId::Ilp
    }

    /// Of the default checks, it knows the states in which nobody can move; such a state violates a check on blocking.
    fn supports(&self, query: &Query) -> Support {
        match query {
            Query::Check(Kind::CircularWait | Kind::ClientBlocked | Kind::ServerIdle | Kind::Spin) => {
                Support::Violations
            }
            Query::Sequence { .. } => Support::Verdicts,
            Query::Check(_) | Query::Formula(_) => Support::Nothing,
        }
    }

    fn check(&self, program: &Program, queries: &[Query], options: &Options, control: &Control) -> Outcome {
        let program = &*with_automata_of(program, queries);
        let mut settings = self.settings.clone();
        let mut sequences: Vec<_> = queries
            .iter()
            .filter_map(|q| match q {
                Query::Sequence { monitor, intervals } => Some((*monitor, intervals.cloned())),
                _ => None,
            })
            .collect();
        sequences.sort_by_key(|s| s.0);
        settings.queries = sequences.into_iter().map(|s| s.1).collect();
        let mut decided = match checks(queries).is_empty() {
            true => Vec::new(),
            false => vec![deadlock(program, &settings, options, control)],
        };
        decided.extend(decide(program, &settings, options, control));
        let mut failures = Vec::new();
        if let Some(archive) = &self.archive {
            for one in decided.iter_mut().filter(|d| matches!(d.answer.answer, Verdict::Holds)) {
                match archive(one) {
                    Ok(place) => one.answer.certificate = Some(place),
                    Err(why) => failures.push(why),
                }
            }
        }
        let properties: Vec<PropertyAnswer> = decided.into_iter().map(|d| d.answer).collect();
        let of = properties.iter().filter_map(|p| p.stats);
        let stats = Stats {
            seconds: of.clone().map(|s| s.seconds).sum(),
            peak_bytes: of.clone().map(|s| s.peak_bytes).max().unwrap_or(0),
            ilp: of.filter_map(|s| s.ilp).next_back(),
            ..Stats::default()
        };
        Outcome { properties, stats, failures, ..Outcome::nothing(EngineId::Ilp) }
    }
}
