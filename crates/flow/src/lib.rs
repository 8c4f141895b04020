//! The flow engine: what FLAVERS was, with its constraints chosen by itself.
//!
//! [`cfg`] unfolds each task into a control-flow graph, `refine` leaves out what means nothing,
//! [`tfg`] joins the graphs where tasks interact, [`mhp`] finds out what may happen in parallel,
//! [`constraint`] and [`data`] tell infeasible paths, [`propagate`] lets tuples of automaton states
//! flow through the graph, [`select`] chooses constraints, `explain` looks for the execution
//! behind a path that no constraint rejects, and `dump` draws the graph.

pub mod cfg;
pub mod constraint;
pub mod data;
mod decide;
mod dump;
mod explain;
pub mod mhp;
pub mod propagate;
mod refine;
pub mod select;
pub mod tfg;

pub use decide::{FlowSettings, RequestedConstraint, cells_to_follow};
pub use dump::dot;

use std::time::Instant;

use rendez_model::Program;
use rendez_verdict::{Control, Engine, EngineId, Options, Outcome, Query, Stats, Support, with_automata_of};

/// The flow engine.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    pub settings: FlowSettings,
}

impl Engine for Flow {
    fn id(&self) -> EngineId {
        EngineId::Flow
    }

    fn supports(&self, query: &Query) -> Support {
        if query.is_followed() { Support::Verdicts } else { Support::Nothing }
    }

    fn check(&self, program: &Program, queries: &[Query], options: &Options, control: &Control) -> Outcome {
        let started = Instant::now();
        let program = with_automata_of(program, queries);
        let properties = decide::decide(&program, &self.settings, options, control);
        let of = properties.iter().filter_map(|p| p.stats);
        let stats = Stats {
            seconds: started.elapsed().as_secs_f64(),
            peak_bytes: of.clone().map(|s| s.peak_bytes).max().unwrap_or(0),
            flow: of.filter_map(|s| s.flow).next_back(),
            ..Stats::default()
        };
        Outcome { properties, stats, ..Outcome::nothing(EngineId::Flow) }
    }
}
